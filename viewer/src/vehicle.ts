// The moving model: its triangles or points, and where a plane cuts it.
import {
  BufferAttribute, BufferGeometry, DoubleSide, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshLambertMaterial, Points, PointsMaterial,
} from 'three';
import { block, type ReportData } from './data';

/// One shape of the model, drawn when it is first shown.
class Frame {
  group: Group | null = null;

  constructor(
    readonly vertices: Float32Array,
    readonly triangles: Uint32Array,
    readonly points: Float32Array,
  ) {}

  draw(): Group {
    if (this.group) return this.group;
    const group = new Group();
    if (this.triangles.length) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(this.vertices, 3));
      geometry.setIndex(new BufferAttribute(this.triangles, 1));
      const flat = geometry.toNonIndexed();
      flat.computeVertexNormals();
      const skin = new MeshLambertMaterial({
        color: 0x4f8fc9, transparent: true, opacity: 0.5, side: DoubleSide, depthWrite: false,
      });
      group.add(new Mesh(flat, skin));
      if (this.triangles.length < 150_000) {
        const edges = new EdgesGeometry(flat, 25);
        group.add(new LineSegments(edges, new LineBasicMaterial({ color: 0x9fd0ff, transparent: true, opacity: 0.8 })));
      }
    }
    if (this.points.length) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(this.points, 3));
      group.add(new Points(geometry, new PointsMaterial({ color: 0x7ab8ee, size: 0.03, transparent: true, opacity: 0.7 })));
    }
    group.traverse((part) => (part.frustumCulled = false));
    return (this.group = group);
  }

  cut(at: number): number[] {
    const out: number[] = [];
    const v = this.vertices;
    for (let t = 0; t < this.triangles.length; t += 3) {
      const ends: number[] = [];
      for (let k = 0; k < 3; k++) {
        const a = 3 * this.triangles[t + k];
        const b = 3 * this.triangles[t + ((k + 1) % 3)];
        if (v[a] > at === v[b] > at) continue;
        const f = (at - v[a]) / (v[b] - v[a]);
        ends.push(v[a + 1] + f * (v[b + 1] - v[a + 1]), v[a + 2] + f * (v[b + 2] - v[a + 2]));
      }
      if (ends.length === 4) out.push(...ends);
    }
    return out;
  }

  slice(from: number, to: number): number[] {
    const out: number[] = [];
    for (let i = 0; i < this.points.length; i += 3) {
      if (this.points[i] >= from && this.points[i] <= to) out.push(this.points[i + 1], this.points[i + 2]);
    }
    return out;
  }
}

export class Vehicle {
  readonly group = new Group();
  private readonly frames: Frame[] = [];
  private shown: Frame[] = [];

  constructor(data: ReportData) {
    const { buffer } = block('model');
    let at = 0;
    for (const [vertices, triangles, points] of data.model.frames) {
      this.frames.push(new Frame(
        new Float32Array(buffer, at, 3 * vertices),
        new Uint32Array(buffer, at + 12 * vertices, 3 * triangles),
        new Float32Array(buffer, at + 12 * (vertices + triangles), 3 * points),
      ));
      at += 12 * (vertices + triangles + points);
    }
    this.group.matrixAutoUpdate = false;
    this.shapeAt(0, false);
  }

  /// Of a model that changes its shape the one at a pose. At a place, all that count there: from each pose to the next
  /// both do.
  shapeAt(pose: number, atPlace: boolean): void {
    const last = this.frames.length - 1;
    const clamp = (i: number) => Math.max(0, Math.min(i, last));
    const numbers = new Set([clamp(Math.round(pose))]);
    if (atPlace) for (let i = Math.ceil(pose) - 1; i <= Math.floor(pose) + 1; i++) numbers.add(clamp(i));
    for (const frame of this.shown) this.group.remove(frame.draw());
    this.shown = [...numbers].map((i) => this.frames[i]);
    for (const frame of this.shown) this.group.add(frame.draw());
  }

  /// The numbers of the shapes that are shown.
  get shapes(): number[] {
    return this.shown.map((frame) => this.frames.indexOf(frame));
  }

  /// Line segments y z y z … where the plane x = `at` meets the triangles.
  cut(at: number): number[] {
    return this.shown.flatMap((frame) => frame.cut(at));
  }

  /// y z y z … of the points in a slice.
  slice(from: number, to: number): number[] {
    return this.shown.flatMap((frame) => frame.slice(from, to));
  }
}
