// What graze wrote into the page: one JSON text and some blocks of bytes in base64.
import type { MapData } from './map';
import type { SceneData } from './scene';

export interface Place {
  clearance: number | null; // metres; null: beyond the limit
  chainage: number; // of the point
  at: number; // index of the pose, with the fraction of the step to the next
  point: [number, number, number]; // relative to the origin of the cloud
  inVehicle: [number, number, number];
  side: Side;
  index: number;
}

export interface Cluster extends Place {
  level: Level;
  from: number;
  to: number;
  points: number;
}

export type Side = 'left' | 'right' | 'above' | 'below';
export type Level = 'hit' | 'fail' | 'warn' | 'clear';
export const SIDES: Side[] = ['left', 'right', 'above', 'below'];

export interface Profile {
  from: number[];
  to: number[];
  minimum: Record<Side, (number | null)[]>; // clearance; null: beyond the limit
  worst: (Place | null)[]; // of all sides
  seen: Record<Side, (0 | 1 | null)[]>; // whether the scan saw this side; null: the vehicle does not pass here
  scanned: (0 | 1 | null)[]; // whether it saw all required sides
}

export interface ReportData {
  schema: 1;
  warn: number;
  fail: number;
  limit: number;
  origin: [number, number, number];
  scanPoints: number;
  model: {
    min: [number, number, number];
    max: [number, number, number];
    frames: [vertices: number, triangles: number, points: number][]; // one, or one per pose
  };
  path: { poses: number; stride: number; last: number };
  profile: Profile;
  clusters: Cluster[];
  nodes: number[]; // eight numbers each: min x y z, size, count, first child, how many children, level
}

export function readData(): ReportData | MapData | SceneData | null {
  const text = document.getElementById('graze-data')?.textContent;
  return text ? (JSON.parse(text) as ReportData | MapData | SceneData) : null;
}

/// The part of the page with this id.
export function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

/// The bytes of a block; decoded anew each time it is asked for.
export function block(name: string): Uint8Array {
  const text = (document.getElementById('graze-' + name)?.textContent ?? '').trim();
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export const metres = (x: number, digits = 3): string => {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace('-', '\u2212');
};
