// What a scene is made of, as things to draw. Lengths are in metres; the page scales the whole scene to a radius of 1.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide,
  EdgesGeometry, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial, Object3D,
  Points, PointsMaterial, RingGeometry, SRGBColorSpace, SphereGeometry, MeshBasicMaterial,
} from 'three';

export type Shape =
  | { kind: 'ellipsoid'; radii: [number, number, number] }
  | { kind: 'box'; half: [number, number, number] }
  | { kind: 'capsule' | 'cylinder' | 'cone'; radius: number; half_length: number }
  | { kind: 'plane' }
  | { kind: 'bend'; scale: number; vertices: number; triangles: number } // vertices twice: at the start and at the end
  | { kind: 'mesh'; scale: number; vertices: number; triangles: number }
  | { kind: 'cloud'; scale: number; points: number; radius: number }
  | { kind: 'cubes'; cubes: number; resolution: number };

export const FIELD_OF_VIEW = 38; // degrees, from top to bottom

const EDGES_UP_TO = 200_000; // triangles
const FADE = 3; // planes end this many radii of the scene away from its middle

/// Points, the lower ones darker: they have no surface that light could fall on.
function shadedByHeight(points: Float32Array): BufferGeometry {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 2; i < points.length; i += 3) {
    low = Math.min(low, points[i]);
    high = Math.max(high, points[i]);
  }
  const tones = new Float32Array(points.length);
  for (let i = 0; i < points.length; i += 3) tones.fill(high > low ? 0.35 + (0.85 * (points[i + 2] - low)) / (high - low) : 1, i, i + 3);
  return new BufferGeometry()
    .setAttribute('position', new BufferAttribute(points, 3))
    .setAttribute('color', new BufferAttribute(tones, 3));
}

/// The geometries of all shapes, made once.
export class ShapeStore {
  private readonly drawn: (BufferGeometry | null)[] = [];
  private readonly at: number[] = [];

  constructor(private readonly shapes: Shape[], private readonly bytes: ArrayBuffer, private readonly radius: number) {
    let at = 0;
    for (const s of shapes) {
      this.at.push(at);
      if (s.kind === 'bend') at += 12 * (2 * s.vertices + s.triangles);
      if (s.kind === 'mesh') at += 12 * (s.vertices + s.triangles);
      if (s.kind === 'cloud') at += 12 * s.points;
      if (s.kind === 'cubes') at += Math.ceil((14 * s.cubes) / 4) * 4;
    }
  }

  private static round: CanvasTexture | null = null;
  /// A white disc, to make points round.
  static disc(): CanvasTexture {
    if (ShapeStore.round) return ShapeStore.round;
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 64;
    const g = canvas.getContext('2d')!;
    g.fillStyle = '#fff';
    g.beginPath();
    g.arc(32, 32, 31, 0, 7);
    g.fill();
    return (ShapeStore.round = new CanvasTexture(canvas));
  }

  kind(index: number): Shape['kind'] {
    return this.shapes[index].kind;
  }

  /// What draws a shape in a colour, in the frame of its object.
  draw(index: number, color: Color): Object3D {
    const s = this.shapes[index];
    if (s.kind === 'cloud') return this.points(index, s, color);
    if (s.kind === 'cubes') return this.cubes(index, s);
    if (s.kind === 'plane') return this.plane(index, color);
    if (s.kind === 'bend') return this.bending(index, s, color);
    const group = new Group();
    const geometry = this.geometry(index);
    if (geometry.getAttribute('position').count > 0) {
      group.add(new Mesh(geometry, new MeshLambertMaterial({ color, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 })));
      const edged = s.kind === 'box' || s.kind === 'cylinder' || s.kind === 'cone' || (s.kind === 'mesh' && s.triangles < EDGES_UP_TO);
      if (edged) {
        const dark = color.clone().multiplyScalar(0.45);
        group.add(new LineSegments(new EdgesGeometry(geometry, 25), new LineBasicMaterial({ color: dark, transparent: true, opacity: 0.7 })));
      }
    }
    if (s.kind === 'mesh') group.scale.setScalar(s.scale);
    return group;
  }

  private geometry(index: number): BufferGeometry {
    return (this.drawn[index] ??= this.made(this.shapes[index], this.at[index]));
  }

  private made(s: Shape, at: number): BufferGeometry {
    switch (s.kind) {
      case 'ellipsoid':
        return new SphereGeometry(1, 48, 32).rotateX(Math.PI / 2).scale(...s.radii);
      case 'box':
        return new BoxGeometry(2 * s.half[0], 2 * s.half[1], 2 * s.half[2]);
      case 'capsule':
        return new CapsuleGeometry(s.radius, 2 * s.half_length, 16, 48).rotateX(Math.PI / 2);
      case 'cylinder':
        return new CylinderGeometry(s.radius, s.radius, 2 * s.half_length, 64).rotateX(Math.PI / 2);
      case 'cone':
        return new ConeGeometry(s.radius, 2 * s.half_length, 64).rotateX(Math.PI / 2);
      case 'plane': {
        const disc = new RingGeometry(0, FADE * this.radius, 96, 24);
        const position = disc.getAttribute('position');
        const rgba = new Float32Array(4 * position.count);
        for (let i = 0; i < position.count; i++) {
          const out = Math.hypot(position.getX(i), position.getY(i)) / (FADE * this.radius);
          rgba.set([1, 1, 1, Math.max(0, 1 - out * out) * 0.6], 4 * i);
        }
        return disc.setAttribute('color', new BufferAttribute(rgba, 4));
      }
      case 'mesh': {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(new Float32Array(this.bytes, at, 3 * s.vertices), 3));
        geometry.setIndex(new BufferAttribute(new Uint32Array(this.bytes, at + 12 * s.vertices, 3 * s.triangles), 1));
        const flat = geometry.toNonIndexed();
        flat.computeVertexNormals();
        return flat;
      }
      case 'bend':
        return new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(9 * s.triangles), 3));
      case 'cloud':
        return shadedByHeight(new Float32Array(this.bytes, at, 3 * s.points));
      case 'cubes':
        return new BoxGeometry(1, 1, 1);
    }
  }

  /// Its `userData.bend(time)` gives it the shape that it has at a time.
  private bending(index: number, s: Shape & { kind: 'bend' }, color: Color): Object3D {
    const at = this.at[index];
    const from = new Float32Array(this.bytes, at, 3 * s.vertices);
    const to = new Float32Array(this.bytes, at + 12 * s.vertices, 3 * s.vertices);
    const corners = new Uint32Array(this.bytes, at + 24 * s.vertices, 3 * s.triangles);
    const geometry = this.geometry(index);
    const position = geometry.getAttribute('position') as BufferAttribute;
    const group = new Group();
    group.add(new Mesh(geometry, new MeshLambertMaterial({ color, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 })));
    if (s.triangles < EDGES_UP_TO) group.add(new Mesh(geometry, new MeshBasicMaterial({ color: color.clone().multiplyScalar(0.45), wireframe: true })));
    group.scale.setScalar(s.scale);
    group.userData.bend = (time: number) => {
      for (let i = 0; i < corners.length; i++) {
        for (let k = 0; k < 3; k++) {
          const v = 3 * corners[i] + k;
          position.array[3 * i + k] = from[v] + time * (to[v] - from[v]);
        }
      }
      position.needsUpdate = true;
      geometry.computeVertexNormals();
    };
    group.userData.bend(0);
    return group;
  }

  private plane(index: number, color: Color): Object3D {
    const tone = color.clone().lerp(new Color(1, 1, 1), 0.45);
    const disc = new Mesh(this.geometry(index), new MeshBasicMaterial({ color: tone, vertexColors: true, transparent: true, side: DoubleSide, depthWrite: false }));
    disc.renderOrder = -1;
    return disc;
  }

  private points(index: number, s: Shape & { kind: 'cloud' }, color: Color): Object3D {
    const group = new Group();
    const geometry = this.geometry(index);
    group.add(new Points(geometry, new PointsMaterial({ color, size: 2, sizeAttenuation: false, vertexColors: true })));
    if (s.radius > 0) {
      // three.js leaves the angle of view out of the size of points.
      const size = (2 * s.radius) / this.radius / Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
      group.add(new Points(geometry, new PointsMaterial({ color, size, map: ShapeStore.disc(), alphaTest: 0.5, vertexColors: true })));
    }
    group.scale.setScalar(s.scale);
    return group;
  }

  // Yellow to red by probability, as in map.ts.
  private cubes(index: number, s: Shape & { kind: 'cubes' }): Object3D {
    const at = this.at[index];
    const centers = new Float32Array(this.bytes, at, 3 * s.cubes);
    const levels = new Uint8Array(this.bytes, at + 12 * s.cubes, s.cubes);
    const values = new Uint8Array(this.bytes, at + 13 * s.cubes, s.cubes);
    const mesh = new InstancedMesh(this.geometry(index), new MeshLambertMaterial(), s.cubes);
    const matrix = new Matrix4();
    const tone = new Color();
    for (let i = 0; i < s.cubes; i++) {
      const side = s.resolution * 2 ** levels[i];
      matrix.makeScale(side, side, side).setPosition(centers[3 * i], centers[3 * i + 1], centers[3 * i + 2]);
      mesh.setMatrixAt(i, matrix);
      const t = Math.min(Math.max(values[i] / 127 - 1, 0), 1);
      mesh.setColorAt(i, tone.setRGB(1 - 0.15 * t, 0.8 - 0.63 * t, 0.3 - 0.06 * t, SRGBColorSpace));
    }
    return mesh;
  }
}
