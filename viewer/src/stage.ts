// The view in three dimensions: the scan, the path and the vehicle at the chosen moment.
import {
  AmbientLight, BufferGeometry, Color, DirectionalLight, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial,
  PerspectiveCamera, RingGeometry, Scene, Vector3, WebGLRenderer, DoubleSide,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { LodCloud } from './cloud';
import type { ReportData, Side } from './data';
import type { Path } from './path';
import type { Vehicle } from './vehicle';

export type View = 'gap' | 'behind' | 'above' | 'all';

export class Stage {
  readonly camera = new PerspectiveCamera(55, 1, 0.05, 20_000);
  readonly controls: OrbitControls;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly ring: Mesh;
  private flight: { from: Vector3; to: Vector3; lookFrom: Vector3; lookTo: Vector3; begin: number } | null = null;
  private dirty = true;
  frames = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly data: ReportData,
    readonly cloud: LodCloud,
    private readonly vehicle: Vehicle,
    private readonly path: Path,
  ) {
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    host.append(this.renderer.domElement);
    this.scene.background = new Color(0x11181e);
    const sun = new DirectionalLight(0xffffff, 1.6);
    sun.position.set(-3, 5, 9);
    this.scene.add(new AmbientLight(0xffffff, 1.3), sun, cloud.group, vehicle.group);
    const line_points = new BufferGeometry().setFromPoints(path.positions());
    const line = new Line(line_points, new LineBasicMaterial({ color: 0xe8f1f7, transparent: true, opacity: 0.75 }));
    line.frustumCulled = false;
    this.scene.add(line);
    const mark = new MeshBasicMaterial({ color: 0xffffff, side: DoubleSide, depthTest: false, transparent: true });
    this.ring = new Mesh(new RingGeometry(0.8, 1, 40), mark);
    this.ring.renderOrder = 10;
    this.ring.visible = false;
    this.scene.add(this.ring);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => (this.dirty = true));
    this.controls.addEventListener('start', () => (this.flight = null));
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    const loop = () => {
      requestAnimationFrame(loop);
      this.tick();
    };
    loop();
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (!w || !h) return;
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  private tick(): void {
    if (this.flight) {
      const t = Math.min((performance.now() - this.flight.begin) / 600, 1);
      const s = t * t * (3 - 2 * t);
      this.camera.position.lerpVectors(this.flight.from, this.flight.to, s);
      this.controls.target.lerpVectors(this.flight.lookFrom, this.flight.lookTo, s);
      if (t >= 1) this.flight = null;
      this.dirty = true;
    }
    this.controls.update();
    if (!this.dirty) return;
    this.dirty = false;
    this.camera.updateMatrixWorld();
    this.ring.quaternion.copy(this.camera.quaternion);
    const away = this.ring.position.distanceTo(this.camera.position);
    this.ring.scale.setScalar(Math.max(away * 0.02, 0.05));
    this.dirty = this.cloud.update(this.camera, this.host.clientHeight);
    this.renderer.render(this.scene, this.camera);
    this.frames++;
  }

  /// Whether the last picture shows all it should.
  get settled(): boolean {
    return !this.dirty && !this.flight;
  }

  redraw(): void {
    this.dirty = true;
  }

  /// Puts the vehicle where it is at a pose, and a ring around a point.
  place(at: number, point: Vector3 | null): Matrix4 {
    const matrix = this.path.matrix(at);
    this.vehicle.group.matrix.copy(matrix);
    this.vehicle.group.matrixWorldNeedsUpdate = true;
    this.ring.visible = point !== null;
    if (point) this.ring.position.copy(point);
    this.dirty = true;
    return matrix;
  }

  look(view: View, at: number, point: Vector3 | null, side: Side | null): void {
    const matrix = this.path.matrix(at);
    const turn = new Matrix4().extractRotation(matrix);
    const axis = (x: number, y: number, z: number) => new Vector3(x, y, z).applyMatrix4(turn);
    const { min, max } = this.data.model;
    const size = new Vector3(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
    const middle = new Vector3(min[0] + max[0], min[1] + max[1], min[2] + max[2]).multiplyScalar(0.5).applyMatrix4(matrix);
    if (view === 'all') {
      const box = this.cloud.bounds;
      const center = box.isEmpty() ? middle : box.getCenter(new Vector3());
      const radius = box.isEmpty() ? size.length() : box.getSize(new Vector3()).length() / 2;
      return this.fly(center.clone().add(new Vector3(-0.35, -0.75, 0.75).multiplyScalar(radius * 0.95)), center);
    }
    const target = point ?? middle;
    if (view === 'above') {
      const high = Math.max(size.x, 12);
      return this.fly(target.clone().add(axis(-0.25 * high, 0, 0)).add(new Vector3(0, 0, high)), target);
    }
    if (view === 'behind' || !side) {
      const tail = new Vector3(min[0] - 0.6 * size.x - 4, (min[1] + max[1]) / 2, max[2] + 1.2).applyMatrix4(matrix);
      return this.fly(tail, point ? middle.clone().lerp(target, 0.5) : middle);
    }
    // Along the gap between the vehicle and what stands beside it: from outside of the body, or the body would hide it.
    const p = target.clone().applyMatrix4(matrix.clone().invert());
    const eye = new Vector3(p.x - 6, p.y, p.z);
    if (side === 'left') eye.set(eye.x, Math.max(p.y, max[1]) + 0.2, max[2] + 1);
    if (side === 'right') eye.set(eye.x, Math.min(p.y, min[1]) - 0.2, max[2] + 1);
    if (side === 'above') eye.z = Math.max(p.z, max[2]) + 0.6;
    if (side === 'below') eye.set(eye.x, max[1] + 1.5, min[2] + 0.3);
    this.fly(eye.applyMatrix4(matrix), target);
  }

  private fly(to: Vector3, lookTo: Vector3): void {
    this.flight = {
      from: this.camera.position.clone(), to, lookFrom: this.controls.target.clone(), lookTo, begin: performance.now(),
    };
    this.dirty = true;
  }
}
