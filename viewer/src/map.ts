// The page of an occupancy map: its cells as cubes, coloured by their probability.
import {
  BoxGeometry, Color, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, PerspectiveCamera, Scene, ShaderMaterial,
  Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { block, element, type ReportData } from './data';
import type { SceneData } from './scene';

export interface MapData {
  schema: 1;
  kind: 'map';
  resolution: number;
  origin: [number, number, number]; // of the world, in the frame of the cubes the point 0
  half: [number, number, number];
  cubes: number;
  threshold: number;
}

export const isMap = (data: ReportData | MapData | SceneData): data is MapData => 'kind' in data && data.kind === 'map';

const UNKNOWN = 255;

const VERTEX = `
attribute vec3 center; attribute float level; attribute float value;
uniform float resolution; uniform float threshold; uniform float height; uniform float pass;
uniform bool occupied; uniform bool free; uniform bool unknown; uniform bool byHeight;
varying vec3 tone; varying vec2 place;
vec3 rainbow(float t) {
  return clamp(vec3(1.5 - abs(4.0 * t - 3.0), 1.5 - abs(4.0 * t - 2.0), 1.5 - abs(4.0 * t - 1.0)), 0.0, 1.0);
}
void main() {
  float byte = floor(value * 255.0 + 0.5);
  bool isUnknown = byte == 255.0;
  bool isOccupied = !isUnknown && byte >= threshold;
  bool shown = isOccupied ? occupied && pass == 0.0 : pass == 1.0 && (isUnknown ? unknown : free);
  if (!shown) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  float t = clamp(byte / 127.0 - 1.0, 0.0, 1.0);
  tone = isUnknown ? vec3(0.54, 0.58, 0.61) : vec3(0.31, 0.70, 0.65);
  if (isOccupied) tone = byHeight ? rainbow(0.5 + 0.5 * center.z / height) : vec3(1.0 - 0.15 * t, 0.80 - 0.63 * t, 0.30 - 0.06 * t);
  tone *= 0.4 + 0.6 * max(dot(normal, normalize(vec3(-0.3, -0.55, 0.8))), 0.0);
  place = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(center + position * resolution * exp2(level * 255.0), 1.0);
}`;
const FRAGMENT = `
uniform float pass;
varying vec3 tone; varying vec2 place;
void main() {
  vec2 width = fwidth(place);
  vec2 edge = min(place, 1.0 - place) / max(width, vec2(1e-6));
  float near = clamp(1.0 - 6.0 * max(width.x, width.y), 0.0, 1.0); // no edges where cubes are a few pixels
  float dark = 1.0 - 0.45 * near * (1.0 - smoothstep(0.5, 1.5, min(edge.x, edge.y)));
  gl_FragColor = vec4(tone * dark, pass == 0.0 ? 1.0 : 0.13);
}`;

class MapPage {
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(50, 1, 0.05, 1000);
  private readonly controls: OrbitControls;
  private readonly scene = new Scene();
  private readonly uniforms: Record<string, { value: unknown }>;
  private readonly values: Uint8Array;
  private dirty = true;
  private frames = 0;

  constructor(private readonly data: MapData) {
    element('view').hidden = false;
    const host = element('stage');
    this.uniforms = {
      resolution: { value: data.resolution }, threshold: { value: 0 }, height: { value: Math.max(data.half[2], 1e-9) },
      occupied: { value: true }, free: { value: true }, unknown: { value: true }, byHeight: { value: false },
    };
    const { buffer } = block('cubes');
    const n = data.cubes;
    this.values = new Uint8Array(buffer, 13 * n, n);
    const geometry = new InstancedBufferGeometry();
    const box = new BoxGeometry(1, 1, 1);
    geometry.index = box.index;
    for (const name of ['position', 'normal', 'uv']) geometry.setAttribute(name, box.getAttribute(name));
    geometry.setAttribute('center', new InstancedBufferAttribute(new Float32Array(buffer, 0, 3 * n), 3));
    geometry.setAttribute('level', new InstancedBufferAttribute(new Uint8Array(buffer, 12 * n, n), 1, true));
    geometry.setAttribute('value', new InstancedBufferAttribute(this.values, 1, true));
    geometry.instanceCount = n;
    for (const pass of [0, 1]) {
      const material = new ShaderMaterial({
        uniforms: { ...this.uniforms, pass: { value: pass } }, vertexShader: VERTEX, fragmentShader: FRAGMENT,
        transparent: pass === 1, depthWrite: pass === 0,
      });
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = pass;
      this.scene.add(mesh);
    }
    this.scene.background = new Color(0x11181e);
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    host.append(this.renderer.domElement);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => (this.dirty = true));
    new ResizeObserver(() => this.resize()).observe(host);
    this.listen();
    this.resize();
    this.look('all');
    const loop = () => {
      requestAnimationFrame(loop);
      this.controls.update();
      if (!this.dirty) return;
      this.dirty = false;
      this.renderer.render(this.scene, this.camera);
      this.frames++;
    };
    loop();
  }

  private listen(): void {
    for (const button of document.querySelectorAll<HTMLElement>('[data-view]')) {
      button.addEventListener('click', () => this.look(button.dataset.view!));
    }
    const threshold = element<HTMLInputElement>('threshold');
    const choose = () => this.setThreshold(Number(threshold.value));
    threshold.addEventListener('input', choose);
    for (const kind of ['occupied', 'free', 'unknown']) {
      element<HTMLInputElement>('show-' + kind).addEventListener('change', (e) => {
        this.uniforms[kind].value = (e.target as HTMLInputElement).checked;
        this.setThreshold(Number(threshold.value));
      });
    }
    element<HTMLSelectElement>('colour').addEventListener('change', (e) => {
      const byHeight = (e.target as HTMLSelectElement).value === 'height';
      this.uniforms.byHeight.value = byHeight;
      element('key-probability').hidden = byHeight;
      this.dirty = true;
    });
    choose();
  }

  private setThreshold(probability: number): void {
    this.uniforms.threshold.value = Math.floor(254 * probability + 1e-9);
    element('threshold-value').textContent = probability.toFixed(2);
    const { occupied, free, unknown } = this.shown();
    const parts = [`${occupied.toLocaleString('en')} occupied`];
    if (free) parts.push(`${free.toLocaleString('en')} free`);
    if (unknown) parts.push(`${unknown.toLocaleString('en')} unknown`);
    element('caption').textContent = `Cubes shown: ${parts.join(', ')}. Drag to turn, scroll to zoom, right button to move.`;
    this.dirty = true;
  }

  private shown(): { occupied: number; free: number; unknown: number } {
    const counts = { occupied: 0, free: 0, unknown: 0 };
    const threshold = this.uniforms.threshold.value as number;
    for (const value of this.values) counts[value === UNKNOWN ? 'unknown' : value >= threshold ? 'occupied' : 'free']++;
    for (const kind of ['occupied', 'free', 'unknown'] as const) if (!this.uniforms[kind].value) counts[kind] = 0;
    return counts;
  }

  private look(view: string): void {
    const radius = Math.max(new Vector3(...this.data.half).length(), this.data.resolution);
    const from = view === 'above' ? new Vector3(0, -0.01, 1) : new Vector3(-0.5, -0.8, 0.55);
    this.camera.near = radius / 1000;
    this.camera.far = radius * 20;
    this.camera.updateProjectionMatrix();
    this.camera.position.copy(from.normalize().multiplyScalar(radius * (view === 'above' ? 2.2 : 2)));
    this.controls.target.set(0, 0, 0);
    this.controls.update();
    this.dirty = true;
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = element('stage');
    if (!w || !h) return;
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  /// For tests: what is being shown.
  state(): Record<string, unknown> {
    return {
      shown: this.shown(), settled: !this.dirty, frames: this.frames, camera: this.camera.position.toArray(),
      byHeight: this.uniforms.byHeight.value,
    };
  }
}

/// Shows the map; a browser without WebGL says so.
export function showMap(data: MapData): { state: () => Record<string, unknown> } {
  try {
    return new MapPage(data);
  } catch (error) {
    element('view').hidden = false;
    element('stage').textContent = `This browser cannot show the 3-D view (${String(error)}).`;
    return { state: () => ({ settled: true, error: String(error) }) };
  }
}
