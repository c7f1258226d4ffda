// The moving model: its triangles or points, and where a plane cuts it.
import {
  BufferAttribute, BufferGeometry, DoubleSide, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshLambertMaterial, Points, PointsMaterial,
} from 'three';
import { block, type ReportData } from './data';

export class Vehicle {
  readonly group = new Group();
  private readonly vertices: Float32Array;
  private readonly triangles: Uint32Array;
  private readonly points: Float32Array;

  constructor(data: ReportData) {
    const { vertices, triangles, points } = data.model;
    const bytes = block('model');
    this.vertices = new Float32Array(bytes.buffer, 0, 3 * vertices);
    this.triangles = new Uint32Array(bytes.buffer, 12 * vertices, 3 * triangles);
    this.points = new Float32Array(bytes.buffer, 12 * (vertices + triangles), 3 * points);
    this.group.matrixAutoUpdate = false;
    if (triangles) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(this.vertices, 3));
      geometry.setIndex(new BufferAttribute(this.triangles, 1));
      const flat = geometry.toNonIndexed();
      flat.computeVertexNormals();
      const skin = new MeshLambertMaterial({
        color: 0x4f8fc9, transparent: true, opacity: 0.5, side: DoubleSide, depthWrite: false,
      });
      this.group.add(new Mesh(flat, skin));
      if (triangles < 50_000) {
        const edges = new EdgesGeometry(flat, 25);
        this.group.add(new LineSegments(edges, new LineBasicMaterial({ color: 0x9fd0ff, transparent: true, opacity: 0.8 })));
      }
    }
    if (points) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(this.points, 3));
      this.group.add(new Points(geometry, new PointsMaterial({ color: 0x7ab8ee, size: 0.03, transparent: true, opacity: 0.7 })));
    }
    this.group.traverse((part) => (part.frustumCulled = false));
  }

  /// Line segments y z y z … where the plane x = `at` meets the triangles.
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

  /// y z y z … of the points in a slice.
  slice(from: number, to: number): number[] {
    const out: number[] = [];
    for (let i = 0; i < this.points.length; i += 3) {
      if (this.points[i] >= from && this.points[i] <= to) out.push(this.points[i + 1], this.points[i + 2]);
    }
    return out;
  }
}
