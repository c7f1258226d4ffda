// The page of a scene: its objects in space with contacts or nearest points, and their motions where they have some.
import {
  AmbientLight, BufferGeometry, Color, DirectionalLight, Group, Line, LineBasicMaterial, LineSegments, Material, Matrix4,
  Mesh, Object3D, PerspectiveCamera, Points, PointsMaterial, Quaternion, Raycaster, SRGBColorSpace, Scene, Vector2, Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { block, element, type ReportData } from './data';
import type { MapData } from './map';
import { FIELD_OF_VIEW, ShapeStore, type Shape } from './shapes';

type Triple = [number, number, number];

const colorOf = (rgb: Triple): Color => new Color().setRGB(...rgb, SRGBColorSpace);

interface ObjectData {
  name: string;
  kind: string;
  shape: number; // index
  color: Triple;
  colliding: boolean;
  place: number[]; // nine numbers of the rotation, row by row, then three of the translation
  times?: number[]; // of a moving object, from 0 to 1
  places?: number[][];
}

export interface SceneData {
  schema: 1;
  kind: 'scene';
  half: Triple; // metres: half the sides of the picture's box, whose middle is the origin of all places and points
  shapes: Shape[];
  objects: ObjectData[];
  contacts: { point: Triple; normal: Triple }[];
  gap: { from: Triple; to: Triple; text: string } | null;
  motion: { hit: boolean; time: number } | null;
}

export const isScene = (data: ReportData | MapData | SceneData): data is SceneData => 'kind' in data && data.kind === 'scene';

const SECONDS = 4; // that a motion takes
const MOST_NAMES = 80;
const MOST_OBJECTS = 400; // in the list below the view
const LOOK: Record<string, Triple> = { all: [0.5, -0.8, 0.42], above: [0, -0.01, 1], front: [0, -1, 0.05] };

const matrixOf = (p: number[]): Matrix4 =>
  new Matrix4().set(p[0], p[1], p[2], p[9], p[3], p[4], p[5], p[10], p[6], p[7], p[8], p[11], 0, 0, 0, 1);

/// One object: what is drawn, and where it is when.
class Actor {
  readonly group = new Group();
  readonly shown: Object3D;
  readonly endless: boolean; // a plane has no middle
  private readonly poses: { at: Vector3; turn: Quaternion }[] = [];

  constructor(readonly data: ObjectData, store: ShapeStore) {
    this.group.matrixAutoUpdate = false;
    this.endless = store.kind(data.shape) === 'plane';
    this.shown = store.draw(data.shape, colorOf(data.color));
    this.group.add(this.shown);
    this.group.traverse((part) => (part.frustumCulled = false));
    for (const place of data.places ?? []) {
      const pose = { at: new Vector3(), turn: new Quaternion() };
      matrixOf(place).decompose(pose.at, pose.turn, new Vector3());
      this.poses.push(pose);
    }
    this.stand();
  }

  /// Where the page has it without a motion, or at first contact.
  stand(time = 0): void {
    this.put(matrixOf(this.data.place));
    this.shown.userData.bend?.(time);
  }

  move(time: number): void {
    const times = this.data.times;
    if (!times || times.length < 2) return this.stand(time);
    let i = 0;
    while (i + 2 < times.length && times[i + 1] <= time) i++;
    const part = (time - times[i]) / (times[i + 1] - times[i]);
    const from = this.poses[i];
    const to = this.poses[i + 1];
    this.put(new Matrix4().compose(from.at.clone().lerp(to.at, part), from.turn.clone().slerp(to.turn, part), new Vector3(1, 1, 1)));
  }

  private put(matrix: Matrix4): void {
    this.group.matrix.copy(matrix);
    this.group.matrixWorldNeedsUpdate = true;
  }

  path(): Vector3[] {
    const points = this.poses.map((p) => p.at);
    return points.some((p) => !p.equals(points[0])) ? points : [];
  }

  seeThrough(on: boolean): void {
    this.shown.traverse((part) => {
      const material = (part as Mesh).material as Material | undefined;
      if (!material || !(part instanceof Mesh) || this.endless) return;
      material.transparent = on;
      material.opacity = on ? 0.35 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    });
  }
}

/// A text of the page that stays at a point of the scene.
class Label {
  readonly element = document.createElement('div');
  visible = true;

  constructor(host: HTMLElement, text: string, kind: string, readonly anchor: () => Vector3) {
    this.element.className = `label ${kind}`;
    this.element.textContent = text;
    host.append(this.element);
  }

  place(camera: PerspectiveCamera, width: number, height: number): void {
    const p = this.anchor().project(camera);
    const inside = this.visible && p.z > -1 && p.z < 1 && Math.abs(p.x) < 1.1 && Math.abs(p.y) < 1.1;
    this.element.hidden = !inside;
    if (inside) {
      this.element.style.transform =
        `translate(-50%, -130%) translate(${((p.x + 1) / 2) * width}px, ${((1 - p.y) / 2) * height}px)`;
    }
  }
}

class ScenePage {
  private readonly host = element('stage');
  private readonly radius: number; // metres, of the scene
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.001, 100);
  private readonly controls: OrbitControls;
  private readonly scene = new Scene();
  private readonly world = new Group(); // metres; scaled so that the radius of the scene is 1
  private readonly actors: Actor[];
  private readonly marks = new Group();
  private readonly labels: Label[] = [];
  private flight: { from: Vector3; to: Vector3; lookFrom: Vector3; lookTo: Vector3; start: number } | null = null;
  private dirty = true;
  private frames = 0;
  private contact = -1;
  private playing = false;
  private time = 0;
  private last = 0;

  constructor(private readonly data: SceneData) {
    element('view').hidden = false;
    document.body.classList.add('live');
    this.radius = new Vector3(...data.half).length();
    const store = new ShapeStore(data.shapes, block('shapes').buffer as ArrayBuffer, this.radius);
    this.actors = data.objects.map((o) => new Actor(o, store));
    this.world.scale.setScalar(1 / this.radius);
    for (const actor of this.actors) {
      this.world.add(actor.group);
      const path = actor.path();
      if (path.length) this.world.add(this.lines(Line, path, colorOf(actor.data.color), 0.9));
    }
    this.world.add(this.marks);
    const sun = new DirectionalLight(0xffffff, 2);
    sun.position.set(0.3, -0.65, 0.8);
    const back = new DirectionalLight(0xffffff, 0.5);
    back.position.set(-0.5, 0.8, 0.3);
    this.scene.add(new AmbientLight(0xffffff, 1.3), sun, back, this.world);
    this.scene.background = new Color(0xe9edef);
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.host.append(this.renderer.domElement);
    this.mark();
    this.name();
    this.list();
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => (this.dirty = true));
    this.controls.addEventListener('start', () => (this.flight = null));
    new ResizeObserver(() => this.resize()).observe(this.host);
    this.listen();
    this.resize();
    this.look('all', false);
    if (data.motion) this.start();
    const loop = (now: number) => {
      requestAnimationFrame(loop);
      this.tick(now);
    };
    requestAnimationFrame(loop);
  }

  private lines(Kind: typeof Line | typeof LineSegments, points: Vector3[], color: Color | number, opacity: number, onTop = false): Line {
    const material = new LineBasicMaterial({ color, transparent: true, opacity, depthTest: !onTop });
    const line = new Kind(new BufferGeometry().setFromPoints(points), material);
    line.frustumCulled = false;
    if (onTop) line.renderOrder = 10;
    return line;
  }

  private dots(points: Vector3[], color: number): void {
    for (const [size, tone] of [[11, 0xffffff], [8, color]]) {
      const material = new PointsMaterial({ color: tone, size, sizeAttenuation: false, depthTest: false, transparent: true, alphaTest: 0.5, map: ShapeStore.disc() });
      const dots = new Points(new BufferGeometry().setFromPoints(points), material);
      dots.frustumCulled = false;
      dots.renderOrder = size === 11 ? 11 : 12;
      this.marks.add(dots);
    }
  }

  /// Contacts with their normals, or the nearest points.
  private mark(): void {
    const { contacts, gap } = this.data;
    if (contacts.length) {
      const points = contacts.map((c) => new Vector3(...c.point));
      const ends = contacts.flatMap((c, i) => [points[i], points[i].clone().addScaledVector(new Vector3(...c.normal), 0.1 * this.radius)]);
      this.marks.add(this.lines(LineSegments, ends, 0x6d0030, 1, true));
      this.dots(points, 0x6d0030);
    }
    if (!gap) return;
    const ends = [new Vector3(...gap.from), new Vector3(...gap.to)];
    this.marks.add(this.lines(Line, ends, 0x0b6bb8, 1, true));
    this.dots(ends, 0x0b6bb8);
    const middle = ends[0].clone().add(ends[1]).multiplyScalar(0.5);
    this.labels.push(new Label(this.host, gap.text, 'gap', () => middle.clone().divideScalar(this.radius)));
  }

  private name(): void {
    if (this.actors.length > MOST_NAMES) element<HTMLInputElement>('show-names').checked = false;
    for (const actor of this.actors) {
      if (actor.endless) continue;
      const anchor = () => new Vector3().setFromMatrixPosition(actor.group.matrix).divideScalar(this.radius);
      const label = new Label(this.host, actor.data.name, 'name', anchor);
      label.visible = this.actors.length <= MOST_NAMES;
      this.labels.push(label);
    }
  }

  /// The objects below the view, which can be left out one by one.
  private list(): void {
    const bar = element('objects');
    for (const actor of this.actors.slice(0, MOST_OBJECTS)) {
      const label = document.createElement('label');
      const box = document.createElement('input');
      box.type = 'checkbox';
      box.checked = true;
      box.addEventListener('change', () => {
        actor.group.visible = box.checked;
        this.dirty = true;
      });
      const swatch = document.createElement('span');
      swatch.className = 'swatch';
      swatch.style.background = `rgb(${actor.data.color.map((c) => Math.round(255 * c)).join(',')})`;
      const name = document.createElement('span');
      name.className = 'name';
      name.textContent = name.title = actor.data.name;
      label.append(box, swatch, name);
      bar.append(label);
    }
    const more = this.actors.length - MOST_OBJECTS;
    if (more > 0) bar.append(`and ${more.toLocaleString('en')} more`);
  }

  private listen(): void {
    for (const button of document.querySelectorAll<HTMLElement>('[data-view]')) {
      button.addEventListener('click', () => this.look(button.dataset.view!, true));
    }
    const change = (id: string, act: (on: boolean) => void) =>
      element<HTMLInputElement>(id).addEventListener('change', (e) => {
        act((e.target as HTMLInputElement).checked);
        this.dirty = true;
      });
    change('show-names', (on) => this.labels.forEach((l) => (l.visible = on || l.element.classList.contains('gap'))));
    change('see-through', (on) => this.actors.forEach((a) => a.seeThrough(on)));
    change('show-contacts', (on) => (this.marks.visible = on));
    for (const row of document.querySelectorAll<HTMLElement>('[data-contact]')) {
      const choose = () => {
        this.showContact(Number(row.dataset.contact));
        this.host.scrollIntoView({ behavior: 'smooth', block: 'nearest' });
      };
      row.addEventListener('click', choose);
      row.addEventListener('keydown', (e) => {
        if (e.key !== 'Enter' && e.key !== ' ') return;
        e.preventDefault();
        choose();
      });
    }
    const n = this.data.contacts.length;
    element('contact-steps').hidden = n < 2;
    element('next').addEventListener('click', () => this.showContact((this.contact + 1) % n));
    element('previous').addEventListener('click', () => this.showContact((Math.max(this.contact, 0) + n - 1) % n));
    element('to-gap').addEventListener('click', () => this.showGap());
    let down = new Vector2();
    const canvas = this.renderer.domElement;
    canvas.addEventListener('pointerdown', (e) => (down = new Vector2(e.clientX, e.clientY)));
    canvas.addEventListener('click', (e) => {
      if (down.distanceTo(new Vector2(e.clientX, e.clientY)) < 4) this.pick(e);
    });
    if (!this.data.motion) return;
    const slider = element<HTMLInputElement>('time');
    slider.addEventListener('input', () => {
      this.play(false);
      this.goTo(Number(slider.value));
    });
    element('play').addEventListener('click', () => {
      if (!this.playing && this.time >= this.end) this.goTo(0);
      this.play(!this.playing);
    });
    element('first-contact').addEventListener('click', () => {
      this.play(false);
      this.goTo(this.data.motion!.time);
      if (this.data.contacts.length) this.showContact(0);
    });
  }

  private get end(): number {
    return this.data.motion?.hit ? this.data.motion.time : 1;
  }

  private start(): void {
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.goTo(still ? this.end : 0);
    this.play(!still);
  }

  private play(on: boolean): void {
    this.playing = on;
    this.last = 0;
    element('play').textContent = on ? 'Pause' : 'Play';
  }

  /// All objects where they are at a time; after the first contact they stand there.
  private goTo(time: number): void {
    const { hit, time: contact } = this.data.motion!;
    this.time = time;
    const stopped = hit && time >= contact;
    for (const actor of this.actors) stopped ? actor.stand(contact) : actor.move(time);
    this.marks.visible = stopped && element<HTMLInputElement>('show-contacts').checked;
    element<HTMLInputElement>('time').value = String(time);
    element('time-value').textContent = stopped ? `t = ${contact.toFixed(4)}, first contact` : `t = ${time.toFixed(4)}`;
    this.dirty = true;
  }

  private pick(e: MouseEvent): void {
    const box = this.renderer.domElement.getBoundingClientRect();
    const at = new Vector2((2 * (e.clientX - box.left)) / box.width - 1, 1 - (2 * (e.clientY - box.top)) / box.height);
    const ray = new Raycaster();
    ray.params.Points = { threshold: 0.01 };
    ray.params.Line = { threshold: 0 };
    ray.setFromCamera(at, this.camera);
    const first = ray.intersectObjects(this.actors.filter((a) => a.group.visible).map((a) => a.group), true)[0];
    let part: Object3D | null = first?.object ?? null;
    while (part && !this.actors.some((a) => a.group === part)) part = part.parent;
    const actor = this.actors.find((a) => a.group === part);
    element('chosen').textContent = actor
      ? `${actor.data.name}: ${actor.data.kind}${actor.data.colliding ? ', collides' : ''}`
      : 'Nothing is there.';
  }

  private showContact(index: number): void {
    this.contact = index;
    const { point, normal } = this.data.contacts[index];
    element('chosen').textContent = `Contact ${index + 1} of ${this.data.contacts.length}`;
    const rows = [...document.querySelectorAll<HTMLElement>('[data-contact]')];
    const own = rows.filter((r) => Number(r.dataset.contact) <= index).pop();
    for (const row of rows) row.classList.toggle('chosen', row === own);
    this.close(new Vector3(...point), new Vector3(...normal), 0.5);
  }

  private showGap(): void {
    const { from, to } = this.data.gap!;
    const [a, b] = [new Vector3(...from), new Vector3(...to)];
    this.close(a.clone().add(b).multiplyScalar(0.5), b.clone().sub(a), Math.max((2.5 * a.distanceTo(b)) / this.radius, 0.25));
  }

  /// Looks at a point from near by, from the side of a direction.
  private close(point: Vector3, direction: Vector3, away: number): void {
    const target = point.divideScalar(this.radius);
    const from = this.camera.position.clone().sub(this.controls.target).normalize();
    const side = direction.lengthSq() > 0 ? direction.normalize() : null;
    if (side) from.addScaledVector(side, -0.8 * from.dot(side));
    this.fly(target.clone().addScaledVector(from.normalize(), away), target);
  }

  /// At the middle of the scene from as far as shows all of its box.
  private look(view: string, fly: boolean): void {
    const back = new Vector3(...LOOK[view]).normalize();
    const right = new Vector3().crossVectors(new Vector3(0, 0, 1), back).normalize();
    const up = new Vector3().crossVectors(back, right);
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    let away = 0;
    for (let i = 0; i < 8; i++) {
      const corner = new Vector3(...this.data.half).divideScalar(this.radius);
      corner.set(i & 1 ? -corner.x : corner.x, i & 2 ? -corner.y : corner.y, i & 4 ? -corner.z : corner.z);
      const aside = Math.max(Math.abs(corner.dot(right)) / this.camera.aspect, Math.abs(corner.dot(up)));
      away = Math.max(away, corner.dot(back) + aside / slope);
    }
    this.fly(back.multiplyScalar(1.1 * away), new Vector3(), fly ? 600 : 0);
  }

  private fly(to: Vector3, lookTo: Vector3, milliseconds = 600): void {
    const start = performance.now() - (600 - milliseconds);
    this.flight = { from: this.camera.position.clone(), to, lookFrom: this.controls.target.clone(), lookTo, start };
    this.dirty = true;
  }

  private tick(now: number): void {
    if (this.flight) {
      const t = Math.min((performance.now() - this.flight.start) / 600, 1);
      const s = t * t * (3 - 2 * t);
      this.camera.position.lerpVectors(this.flight.from, this.flight.to, s);
      this.controls.target.lerpVectors(this.flight.lookFrom, this.flight.lookTo, s);
      if (t >= 1) this.flight = null;
      this.dirty = true;
    }
    if (this.playing) {
      const step = this.last ? (now - this.last) / (1000 * SECONDS) : 0;
      this.last = now;
      this.goTo(Math.min(this.time + step, this.end));
      if (this.time >= this.end) this.play(false);
    }
    this.controls.update();
    if (!this.dirty) return;
    this.dirty = false;
    const away = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = away / 500;
    this.camera.far = away + 20;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.renderer.render(this.scene, this.camera);
    for (const label of this.labels) label.place(this.camera, this.host.clientWidth, this.host.clientHeight);
    this.frames++;
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (!w || !h) return;
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.dirty = true;
  }

  /// For tests: what is being shown.
  state(): Record<string, unknown> {
    return {
      settled: !this.dirty && !this.flight && !this.playing, frames: this.frames, contact: this.contact, time: this.time,
      playing: this.playing, marks: this.marks.visible, camera: this.camera.position.toArray(),
      target: this.controls.target.toArray(), labels: this.labels.filter((l) => !l.element.hidden).length,
      places: this.actors.map((a) => new Vector3().setFromMatrixPosition(a.group.matrix).toArray()),
      shown: this.actors.filter((a) => a.group.visible).map((a) => a.data.name),
    };
  }
}

/// Shows the scene; a browser without WebGL says so.
export function showScene(data: SceneData): { state: () => Record<string, unknown> } {
  try {
    return new ScenePage(data);
  } catch (error) {
    element('view').hidden = false;
    element('stage').textContent = `This browser cannot show the 3-D view (${String(error)}).`;
    return { state: () => ({ settled: true, error: String(error) }) };
  }
}
