// The path of the vehicle.
import { Matrix4, Quaternion, Vector3 } from 'three';
import { block, type ReportData } from './data';

export class Path {
  private readonly numbers: Float32Array; // x y z, quaternion x y z w, chainage
  readonly count: number;

  constructor(private readonly data: ReportData) {
    this.count = data.path.poses;
    this.numbers = new Float32Array(block('path').buffer);
  }

  /// From the number of a pose of the run to that of one here; the two differ where poses were left out.
  private local(at: number): number {
    const { stride, last } = this.data.path;
    if (at >= last) return this.count - 1;
    const i = Math.floor(at / stride);
    if (i >= this.count - 2) {
      const before = (this.count - 2) * stride;
      return this.count - 2 + (at - before) / Math.max(last - before, 1);
    }
    return at / stride;
  }

  private split(at: number): [number, number] {
    const local = Math.min(Math.max(this.local(at), 0), this.count - 1);
    const i = Math.min(Math.floor(local), Math.max(this.count - 2, 0));
    return [i, local - i];
  }

  chainage(at: number): number {
    const [i, f] = this.split(at);
    const a = this.numbers[8 * i + 7];
    return this.count < 2 ? a : a + f * (this.numbers[8 * i + 15] - a);
  }

  matrix(at: number): Matrix4 {
    const [i, f] = this.split(at);
    const n = this.numbers;
    const position = new Vector3(n[8 * i], n[8 * i + 1], n[8 * i + 2]);
    const turn = new Quaternion(n[8 * i + 3], n[8 * i + 4], n[8 * i + 5], n[8 * i + 6]);
    if (f > 0 && this.count > 1) {
      const j = 8 * (i + 1);
      position.lerp(new Vector3(n[j], n[j + 1], n[j + 2]), f);
      turn.slerp(new Quaternion(n[j + 3], n[j + 4], n[j + 5], n[j + 6]), f);
    }
    return new Matrix4().compose(position, turn, new Vector3(1, 1, 1));
  }

  /// The pose at which the vehicle is nearest to a chainage.
  at(chainage: number): number {
    let low = 0;
    let high = this.count - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.numbers[8 * middle + 7] <= chainage) low = middle;
      else high = middle;
    }
    const a = this.numbers[8 * low + 7];
    const b = this.numbers[8 * high + 7];
    const f = b > a ? Math.min(Math.max((chainage - a) / (b - a), 0), 1) : 0;
    const number = (i: number) => (i === this.count - 1 ? this.data.path.last : i * this.data.path.stride);
    return number(low) + f * (number(high) - number(low));
  }

  positions(): Vector3[] {
    return Array.from({ length: this.count }, (_, i) => new Vector3().fromArray(this.numbers, 8 * i));
  }
}
