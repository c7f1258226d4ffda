// The cross-section: the scan and the vehicle in a slice across it, seen from behind.
import { Box3, Matrix4, Vector3 } from 'three';
import type { LodCloud } from './cloud';
import { css } from './colors';
import { metres, type ReportData } from './data';
import type { Vehicle } from './vehicle';

const MARGIN = 1.2;

export interface Slice {
  matrix: Matrix4; // of the vehicle
  x: number; // of the slice, in the vehicle's frame
  mark: { y: number; z: number; clearance: number } | null;
}

export class SectionView {
  thickness = 0.2;
  points = 0;
  private slice: Slice | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly data: ReportData,
    private readonly cloud: LodCloud,
    private readonly vehicle: Vehicle,
  ) {
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  show(slice: Slice): void {
    this.slice = slice;
    this.draw();
  }

  draw(): void {
    const { canvas, slice } = this;
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (!width || !height || !slice) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const g = canvas.getContext('2d')!;
    g.scale(ratio, ratio);
    g.fillStyle = '#ffffff';
    g.fillRect(0, 0, width, height);

    const { min, max } = this.data.model;
    const left = max[1] + MARGIN;
    const right = min[1] - MARGIN;
    const low = min[2] - MARGIN;
    const high = max[2] + MARGIN;
    const scale = Math.min(width / (left - right), height / (high - low));
    const cx = (left + right) / 2;
    const cz = (low + high) / 2;
    const sx = (y: number) => width / 2 - (y - cx) * scale; // y points to the left
    const sz = (z: number) => height / 2 - (z - cz) * scale;
    const seen = { y0: cx - width / 2 / scale, y1: cx + width / 2 / scale, z0: cz - height / 2 / scale, z1: cz + height / 2 / scale };

    g.lineWidth = 1;
    g.font = '11px system-ui, sans-serif';
    for (let y = Math.ceil(seen.y0); y <= seen.y1; y++) {
      g.strokeStyle = y === 0 ? '#c3cbd1' : '#edf0f2';
      g.beginPath(); g.moveTo(sx(y), 0); g.lineTo(sx(y), height); g.stroke();
    }
    for (let z = Math.ceil(seen.z0); z <= seen.z1; z++) {
      g.strokeStyle = z === 0 ? '#c3cbd1' : '#edf0f2';
      g.beginPath(); g.moveTo(0, sz(z)); g.lineTo(width, sz(z)); g.stroke();
      g.fillStyle = '#8a959d';
      g.fillText(`${metres(z, 0)} m`, 4, sz(z) - 3);
    }

    const half = this.thickness / 2;
    const cut = this.vehicle.cut(slice.x);
    g.strokeStyle = '#1f5f99';
    g.lineWidth = 1.6;
    g.beginPath();
    for (let i = 0; i < cut.length; i += 4) {
      g.moveTo(sx(cut[i]), sz(cut[i + 1]));
      g.lineTo(sx(cut[i + 2]), sz(cut[i + 3]));
    }
    g.stroke();
    g.fillStyle = '#3f86c4';
    const body = this.vehicle.slice(slice.x - half, slice.x + half);
    for (let i = 0; i < body.length; i += 2) g.fillRect(sx(body[i]) - 0.7, sz(body[i + 1]) - 0.7, 1.4, 1.4);

    // The worst points are drawn last, on top.
    const found: { y: number; z: number; code: number }[] = [];
    const box = new Box3(new Vector3(slice.x - half, seen.y0, seen.z0), new Vector3(slice.x + half, seen.y1, seen.z1));
    this.cloud.inBox(slice.matrix.clone().invert(), box, (p, code) => found.push({ y: p.y, z: p.z, code }));
    found.sort((a, b) => b.code - a.code);
    this.points = found.length;
    for (const p of found) {
      g.fillStyle = css(p.code);
      const r = p.code < 192 ? 2.2 : 1.3;
      g.beginPath(); g.arc(sx(p.y), sz(p.z), r, 0, 7); g.fill();
    }

    if (slice.mark) {
      const { y, z, clearance } = slice.mark;
      g.strokeStyle = '#111';
      g.lineWidth = 1.5;
      g.beginPath(); g.arc(sx(y), sz(z), 8, 0, 7); g.stroke();
      const text = `${metres(clearance)} m`;
      g.font = '600 13px system-ui, sans-serif';
      const w = g.measureText(text).width;
      const tx = Math.min(Math.max(sx(y) + 12, 4), width - w - 6);
      const ty = Math.min(Math.max(sz(z) - 10, 16), height - 8);
      g.fillStyle = 'rgba(255,255,255,0.85)';
      g.fillRect(tx - 3, ty - 13, w + 6, 18);
      g.fillStyle = '#111';
      g.fillText(text, tx, ty);
    }
    g.fillStyle = '#5c6972';
    g.font = '11px system-ui, sans-serif';
    g.fillText('left', 6, height - 6);
    const label = 'right';
    g.fillText(label, width - g.measureText(label).width - 6, height - 6);
  }
}
