// The scan in levels of detail: near cubes show all of their points, far ones a few, and no more than a budget are
// drawn at a time. Bytes are decoded when a cube is first seen.
import {
  BufferAttribute, BufferGeometry, Box3, Camera, DataTexture, Frustum, Group, Matrix4, NearestFilter,
  PerspectiveCamera, Points, RGBAFormat, ShaderMaterial, Sphere, Vector3,
} from 'three';
import { colorTable } from './colors';
import { block, type ReportData } from './data';

interface Node {
  index: number;
  min: Vector3;
  size: number;
  count: number;
  children: number[];
  box: Box3;
  points: Points | null;
  lastSeen: number;
}

const PIXELS = 220; // a cube that looks larger than this shows its children
const DECODED = 6_000_000; // points in memory, at most
const PER_FRAME = 150_000; // points decoded between two pictures

const VERTEX = `
uniform float size; uniform float height; uniform sampler2D scale;
attribute float code;
varying vec3 tone;
void main() {
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * eye;
  float byte = floor(code * 255.0 + 0.5);
  tone = texture2D(scale, vec2((byte + 0.5) / 256.0, 0.5)).rgb;
  float near = byte < 192.0 ? 1.8 : 1.0;
  gl_PointSize = clamp(near * size * height / max(-eye.z, 0.01), near * 1.4, near * 7.0);
}`;
const FRAGMENT = `
varying vec3 tone;
void main() {
  vec2 off = gl_PointCoord - 0.5;
  if (dot(off, off) > 0.25) discard;
  gl_FragColor = vec4(tone, 1.0);
}`;

export class LodCloud {
  readonly group = new Group();
  readonly bounds = new Box3();
  budget = 1_500_000;
  shown = 0;
  decoded = 0;
  pending = false;
  private readonly nodes: Node[] = [];
  private readonly material: ShaderMaterial;
  private frame = 0;

  constructor(data: ReportData) {
    const table = new DataTexture(colorTable(), 256, 1, RGBAFormat);
    table.magFilter = table.minFilter = NearestFilter;
    table.needsUpdate = true;
    this.material = new ShaderMaterial({
      uniforms: { size: { value: 0.02 }, height: { value: 800 }, scale: { value: table } },
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
    });
    for (let i = 0, k = 0; k < data.nodes.length; k += 8, i++) {
      const [x, y, z, size, count, first, children] = data.nodes.slice(k, k + 7);
      const min = new Vector3(x, y, z);
      this.nodes.push({
        index: i, min, size, count, points: null, lastSeen: 0,
        children: Array.from({ length: children }, (_, c) => first + c),
        box: new Box3(min, min.clone().addScalar(size)),
      });
    }
    // Tighter than the cube of the root.
    for (const node of this.nodes) if (!node.children.length) this.bounds.union(node.box);
  }

  private load(node: Node): void {
    const bytes = block('node-' + node.index);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Uint16Array(bytes.buffer, 0, 3 * node.count), 3, true));
    geometry.setAttribute('code', new BufferAttribute(bytes.subarray(6 * node.count, 7 * node.count), 1, true));
    geometry.boundingSphere = new Sphere(new Vector3(0.5, 0.5, 0.5), 0.87);
    node.points = new Points(geometry, this.material);
    node.points.matrixAutoUpdate = false;
    node.points.matrix.makeScale(node.size, node.size, node.size).setPosition(node.min);
    node.points.visible = false;
    this.group.add(node.points);
    this.decoded += node.count;
  }

  private unload(node: Node): void {
    if (!node.points) return;
    this.group.remove(node.points);
    node.points.geometry.dispose();
    node.points = null;
    this.decoded -= node.count;
  }

  /// Chooses what to draw; returns whether a further call would show more.
  update(camera: PerspectiveCamera, height: number): boolean {
    this.frame++;
    this.material.uniforms.height.value = height / (2 * Math.tan((camera.fov * Math.PI) / 360));
    const frustum = new Frustum().setFromProjectionMatrix(
      new Matrix4().multiplyMatrices(camera.projectionMatrix, (camera as Camera).matrixWorldInverse),
    );
    const scale = this.material.uniforms.height.value as number;
    const looks = (n: Node) => (n.size * scale) / Math.max(n.box.distanceToPoint(camera.position), 0.1);
    const open: { node: Node; looks: number }[] = [];
    const push = (n: Node) => {
      if (!frustum.intersectsBox(n.box)) return;
      const entry = { node: n, looks: looks(n) };
      let i = open.length; // sorted: the largest last
      open.push(entry);
      while (i > 0 && open[i - 1].looks > entry.looks) {
        open[i] = open[i - 1];
        i--;
      }
      open[i] = entry;
    };
    for (const node of this.nodes) if (node.points) node.points.visible = false;
    this.shown = 0;
    this.pending = false;
    let loads = 0;
    if (this.nodes.length) push(this.nodes[0]);
    while (open.length) {
      const { node, looks: size } = open.pop()!;
      if (this.shown + node.count > this.budget) break;
      if (!node.points) {
        if (loads >= PER_FRAME) {
          this.pending = true;
          continue;
        }
        this.load(node);
        loads += node.count;
      }
      node.points!.visible = true;
      node.lastSeen = this.frame;
      this.shown += node.count;
      if (size > PIXELS) for (const child of node.children) push(this.nodes[child]);
    }
    if (this.decoded > DECODED) {
      const old = this.nodes.filter((n) => n.points && n.lastSeen < this.frame).sort((a, b) => a.lastSeen - b.lastSeen);
      while (old.length && this.decoded > DECODED) this.unload(old.shift()!);
    }
    return this.pending;
  }

  /// Calls visit(place, code) for all points of the page in a box of some frame.
  inBox(worldToFrame: Matrix4, box: Box3, visit: (place: Vector3, code: number) => void): void {
    const back = worldToFrame.clone().invert();
    const around = box.clone().applyMatrix4(back);
    const place = new Vector3();
    const open = this.nodes.length ? [this.nodes[0]] : [];
    while (open.length) {
      const node = open.pop()!;
      if (!node.box.intersectsBox(around)) continue;
      for (const child of node.children) open.push(this.nodes[child]);
      let positions: ArrayLike<number>;
      let codes: ArrayLike<number>;
      if (node.points) {
        positions = (node.points.geometry.getAttribute('position') as BufferAttribute).array;
        codes = (node.points.geometry.getAttribute('code') as BufferAttribute).array;
      } else {
        const bytes = block('node-' + node.index);
        positions = new Uint16Array(bytes.buffer, 0, 3 * node.count);
        codes = bytes.subarray(6 * node.count);
      }
      const scale = node.size / 65535;
      for (let i = 0; i < node.count; i++) {
        place.set(
          node.min.x + scale * positions[3 * i],
          node.min.y + scale * positions[3 * i + 1],
          node.min.z + scale * positions[3 * i + 2],
        );
        if (!around.containsPoint(place)) continue;
        place.applyMatrix4(worldToFrame);
        if (box.containsPoint(place)) visit(place, codes[i]);
      }
    }
  }
}
