// One scale of colours for the points, the sections and the diagram. The byte that stands for a clearance tells its
// level by its upper two bits.
import type { Level } from './data';

type Rgb = [number, number, number];

const SCALE: Record<Level, [Rgb, Rgb]> = {
  hit: [[150, 0, 90], [214, 20, 60]],
  fail: [[235, 60, 40], [250, 120, 50]],
  warn: [[255, 175, 40], [255, 215, 90]],
  clear: [[70, 190, 190], [95, 135, 175]],
};
const BEYOND: Rgb = [122, 132, 142];
const LEVELS: Level[] = ['hit', 'fail', 'warn', 'clear'];

export function levelOf(code: number): Level {
  return LEVELS[code >> 6];
}

export function colorOf(code: number): Rgb {
  if (code === 255) return BEYOND;
  const [from, to] = SCALE[levelOf(code)];
  const t = Math.min((code & 63) / 62, 1);
  return [0, 1, 2].map((k) => Math.round(from[k] + t * (to[k] - from[k]))) as Rgb;
}

/// 256 colours as bytes of red, green, blue and alpha.
export function colorTable(): Uint8Array {
  const table = new Uint8Array(1024);
  for (let code = 0; code < 256; code++) table.set([...colorOf(code), 255], 4 * code);
  return table;
}

export const css = (code: number): string => `rgb(${colorOf(code).join(',')})`;
