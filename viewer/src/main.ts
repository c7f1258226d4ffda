// Brings the page to life that graze wrote, a report, a map or a scene: replaces its pictures by ones that answer.
import { Vector3 } from 'three';
import { Chart } from './chart';
import { LodCloud } from './cloud';
import { element, metres, readData, type Place, type ReportData, type Side } from './data';
import { isMap, showMap } from './map';
import { Path } from './path';
import { isScene, showScene } from './scene';
import { SectionView } from './section';
import { Stage, type View } from './stage';
import { Vehicle } from './vehicle';

interface Choice {
  at: number;
  x: number; // of the section, in the vehicle's frame
  place: Place | null;
  cluster: number; // -1: none
}

class Report {
  private readonly path: Path;
  private readonly cloud: LodCloud;
  private readonly vehicle: Vehicle;
  private readonly stage: Stage | null;
  private readonly section: SectionView;
  private readonly chart: Chart | null;
  private readonly slider = element<HTMLInputElement>('drive');
  private choice: Choice = { at: 0, x: 0, place: null, cluster: -1 };
  private view: View = 'all';

  constructor(private readonly data: ReportData) {
    element('view').hidden = false;
    this.path = new Path(data);
    this.cloud = new LodCloud(data);
    this.vehicle = new Vehicle(data);
    this.stage = this.makeStage();
    this.section = new SectionView(element<HTMLCanvasElement>('section'), data, this.cloud, this.vehicle);
    this.chart = data.profile.from.length
      ? new Chart(element('profile-figure'), data, (chainage, place) => {
          if (place) this.choosePlace(place, -1);
          else this.drive(this.path.at(chainage), chainage);
        })
      : null;
    this.listen();
    if (data.clusters.length) this.chooseCluster(0, false);
    else this.drive(0, this.path.chainage(0));
  }

  // A browser without WebGL still has the diagram and the sections.
  private makeStage(): Stage | null {
    try {
      return new Stage(element('stage'), this.data, this.cloud, this.vehicle, this.path);
    } catch (error) {
      element('stage').textContent = `This browser cannot show the 3-D view (${String(error)}).`;
      return null;
    }
  }

  private listen(): void {
    for (const row of document.querySelectorAll<HTMLElement>('[data-cluster]')) {
      const choose = () => {
        this.chooseCluster(Number(row.dataset.cluster), true);
      };
      row.addEventListener('click', choose);
      row.addEventListener('keydown', (e) => {
        if (e.key === 'Enter' || e.key === ' ') {
          e.preventDefault();
          choose();
        }
      });
    }
    for (const button of document.querySelectorAll<HTMLElement>('[data-view]')) {
      button.addEventListener('click', () => this.look(button.dataset.view as View));
    }
    element('previous').addEventListener('click', () => this.step(-1));
    element('next').addEventListener('click', () => this.step(1));
    this.slider.max = String(this.data.path.last);
    this.slider.addEventListener('input', () => {
      const at = Number(this.slider.value);
      this.drive(at, this.path.chainage(at));
    });
    element<HTMLSelectElement>('thickness').addEventListener('change', (e) => {
      this.section.thickness = Number((e.target as HTMLSelectElement).value);
      this.section.draw();
    });
    element<HTMLInputElement>('budget').addEventListener('input', (e) => {
      this.cloud.budget = 1e6 * Number((e.target as HTMLInputElement).value);
      this.stage?.redraw();
    });
    element<HTMLInputElement>('show-vehicle').addEventListener('change', (e) => {
      this.vehicle.group.visible = (e.target as HTMLInputElement).checked;
      this.stage?.redraw();
    });
  }

  private step(by: number): void {
    const n = this.data.clusters.length;
    if (n) this.chooseCluster((Math.max(this.choice.cluster, by > 0 ? -1 : 0) + by + n) % n, false);
  }

  private chooseCluster(index: number, scroll: boolean): void {
    this.choosePlace(this.data.clusters[index], index);
    if (scroll) element('view').scrollIntoView({ behavior: 'smooth', block: 'start' });
  }

  private choosePlace(place: Place, cluster: number): void {
    this.choice = { at: place.at, x: place.inVehicle[0], place, cluster };
    this.show(place.chainage);
    this.look('gap');
  }

  /// The vehicle at a pose, and the section at its middle.
  private drive(at: number, chainage: number): void {
    const { min, max } = this.data.model;
    this.choice = { at, x: (min[0] + max[0]) / 2, place: null, cluster: -1 };
    this.show(chainage);
    this.look(this.view === 'all' ? 'all' : 'behind');
  }

  private look(view: View): void {
    this.view = view;
    const { at, place } = this.choice;
    this.stage?.look(view, at, place ? new Vector3(...place.point) : null, (place?.side as Side) ?? null);
    for (const b of document.querySelectorAll<HTMLElement>('[data-view]')) {
      b.setAttribute('aria-pressed', String(b.dataset.view === view));
    }
  }

  private show(chainage: number): void {
    const { at, x, place, cluster } = this.choice;
    const matrix = this.path.matrix(at);
    this.vehicle.shapeAt(at, place !== null);
    this.stage?.place(at, place ? new Vector3(...place.point) : null);
    this.section.show({
      matrix, x,
      mark: place ? { y: place.inVehicle[1], z: place.inVehicle[2], clearance: place.clearance! } : null,
    });
    this.chart?.mark(chainage);
    this.slider.value = String(at);
    const name = cluster >= 0 ? `Place ${cluster + 1} of ${this.data.clusters.length}: ` : '';
    const what = place ? `${metres(place.clearance!)} m ${place.side}` : 'vehicle';
    element('caption').textContent =
      `${name}${what} at chainage ${metres(chainage, 1)} m, vehicle at ${metres(this.path.chainage(at), 1)} m`;
    for (const row of document.querySelectorAll<HTMLElement>('[data-cluster]')) {
      row.classList.toggle('chosen', Number(row.dataset.cluster) === cluster);
    }
  }

  /// For tests: what is being shown.
  state(): Record<string, unknown> {
    return {
      choice: this.choice,
      view: this.view,
      shown: this.cloud.shown,
      decoded: this.cloud.decoded,
      settled: this.stage?.settled ?? true,
      frames: this.stage?.frames ?? 0,
      sectionPoints: this.section.points,
      shapes: this.vehicle.shapes,
      camera: this.stage?.camera.position.toArray() ?? null,
    };
  }
}

const data = readData();
if (data) {
  const shown = isMap(data) ? showMap(data) : isScene(data) ? showScene(data) : new Report(data);
  (window as unknown as { graze: unknown }).graze = { state: () => shown.state() };
}
