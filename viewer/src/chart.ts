// The minimum clearance on each side along the path: drag to zoom, double-click to see all of it, click to go there.
import uPlot from 'uplot';
import style from 'uplot/dist/uPlot.min.css?inline';
import { SIDES, metres, type Place, type ReportData, type Side } from './data';

const COLORS: Record<Side, string> = { left: '#1f77b4', right: '#d95f02', above: '#7b3fa0', below: '#2c8f4f' };

const STRIP = 4; // pixels of the bar of one side that shows where it was seen

/// Rows with a value and without one on both sides of them, which no line would show.
const alone = (values: (number | null)[]): number[] =>
  values.flatMap((v, i) => (v !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : []));

export class Chart {
  private readonly plot: uPlot;
  private readonly middle: number[];
  private marked: number | null = null;

  constructor(
    host: HTMLElement,
    private readonly data: ReportData,
    private readonly choose: (chainage: number, place: Place | null) => void,
  ) {
    const sheet = document.createElement('style');
    sheet.textContent = style;
    document.head.append(sheet);
    const { profile } = data;
    this.middle = profile.from.map((from, i) => (from + profile.to[i]) / 2);
    const series = SIDES.map((side) => profile.minimum[side]);
    const lowest = series.flat().reduce<number>((low, x) => Math.min(low, x ?? 0), 0);
    host.replaceChildren();
    this.plot = new uPlot(
      {
        width: Math.max(host.clientWidth, 300),
        height: 300,
        scales: { x: { time: false }, y: { range: [lowest - 0.05, Math.max(data.warn * 1.5, Math.min(data.limit, 1.0)) * 1.02] } },
        cursor: { drag: { x: true, y: false }, points: { size: 7 } },
        legend: { live: true },
        axes: [
          { label: 'chainage / m', labelSize: 20, size: 44, grid: { stroke: '#eef1f3' } },
          { label: 'minimum clearance / m', labelSize: 20, size: 56, grid: { stroke: '#eef1f3' } },
        ],
        series: [
          { label: 'chainage', value: (_: uPlot, v: number | null) => (v === null ? '' : `${v.toFixed(1)} m`) },
          ...SIDES.map((side, k) => {
            const lone = alone(series[k]);
            return {
              label: side,
              stroke: COLORS[side],
              width: 1.6,
              points: {
                show: this.middle.length < 40,
                size: 6,
                fill: COLORS[side],
                filter: (_: uPlot, __: number, show: boolean) => (show ? null : lone),
              },
              value: (_: uPlot, v: number | null, __: number, i: number | null) =>
                v !== null && v !== undefined ? `${metres(v)} m` : i !== null && profile.seen[side][i] === 0 ? 'not seen' : '\u2013',
            };
          }),
        ],
        hooks: { drawClear: [(u) => this.background(u)], draw: [(u) => this.marker(u)], ready: [(u) => this.listen(u)] },
      },
      [this.middle, ...series] as uPlot.AlignedData,
      host,
    );
    new ResizeObserver(() => this.plot.setSize({ width: Math.max(host.clientWidth, 300), height: 300 })).observe(host);
  }

  private background(u: uPlot): void {
    const { ctx, bbox } = u;
    const y = (v: number) => Math.min(Math.max(u.valToPos(v, 'y', true), bbox.top), bbox.top + bbox.height);
    const bands: [number, number, string][] = [
      [-1e3, 0, 'rgba(150,0,90,0.16)'],
      [0, this.data.fail, 'rgba(235,60,40,0.16)'],
      [this.data.fail, this.data.warn, 'rgba(255,190,60,0.22)'],
    ];
    ctx.save();
    for (const [from, to, color] of bands) {
      ctx.fillStyle = color;
      ctx.fillRect(bbox.left, y(to), bbox.width, y(from) - y(to));
    }
    this.coverage(u);
    ctx.restore();
  }

  /// Grey where the scan did not see all required sides, and at the bottom a bar for every side where it was seen.
  private coverage(u: uPlot): void {
    const { ctx, bbox } = u;
    const { profile } = this.data;
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const runs = (is: (i: number) => boolean, draw: (from: number, width: number) => void) => {
      for (let i = 0; i < profile.from.length; i++) {
        if (!is(i)) continue;
        const begin = i;
        while (i + 1 < profile.from.length && is(i + 1)) i++;
        const from = u.valToPos(profile.from[begin], 'x', true);
        draw(from, u.valToPos(profile.to[i], 'x', true) - from);
      }
    };
    ctx.fillStyle = 'rgba(110,122,132,0.38)';
    runs((i) => profile.scanned[i] === 0, (from, width) => ctx.fillRect(from, bbox.top, width, bbox.height));
    const strip = STRIP * devicePixelRatio;
    SIDES.forEach((side, k) => {
      ctx.fillStyle = COLORS[side];
      const top = bbox.top + bbox.height - strip * (SIDES.length - k);
      runs((i) => profile.seen[side][i] === 1, (from, width) => ctx.fillRect(from, top, width, strip - 1));
    });
  }

  private marker(u: uPlot): void {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    // A tick for every place that is listed below.
    for (const c of this.data.clusters) {
      ctx.fillStyle = c.level === 'warn' ? '#d99a00' : c.level === 'fail' ? '#e2472b' : '#96005a';
      const x = u.valToPos(c.chainage, 'x', true);
      ctx.beginPath();
      ctx.moveTo(x - 5, bbox.top);
      ctx.lineTo(x + 5, bbox.top);
      ctx.lineTo(x, bbox.top + 9);
      ctx.fill();
    }
    if (this.marked !== null) {
      const x = Math.round(u.valToPos(this.marked, 'x', true)) + 0.5;
      ctx.strokeStyle = '#22303a';
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  private listen(u: uPlot): void {
    let downAt = 0;
    u.over.addEventListener('mousedown', (e) => (downAt = e.clientX));
    u.over.addEventListener('click', (e) => {
      if (Math.abs(e.clientX - downAt) > 3) return; // a zoom
      const chainage = u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x');
      this.choose(chainage, this.worstNear(chainage));
    });
    u.over.addEventListener('wheel', (e) => {
      if (!e.ctrlKey && !e.shiftKey) return; // the page scrolls
      e.preventDefault();
      const at = u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x');
      const by = e.deltaY < 0 ? 0.8 : 1.25;
      u.setScale('x', { min: at - (at - u.scales.x.min!) * by, max: at + (u.scales.x.max! - at) * by });
    }, { passive: false });
  }

  /// The worst place of the row at a chainage.
  private worstNear(chainage: number): Place | null {
    const { profile } = this.data;
    const i = profile.from.findIndex((from, k) => chainage >= from && chainage < profile.to[k]);
    return i < 0 ? null : profile.worst[i];
  }

  mark(chainage: number): void {
    this.marked = chainage;
    this.plot.redraw(false);
  }
}
