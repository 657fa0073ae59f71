import type { ScheduleName } from './schedules.ts';
import type { Simulated } from './simulation.ts';

const width = 720;
const height = 380;
const margin = { left: 64, right: 120, top: 24, bottom: 48 };
/** Readable on a light and on a dark page. */
const colors: Record<ScheduleName, string> = { predicted: '#2da44e', growing: '#bf8700', 'every second': '#8250df' };
const gray = '#7d8590';
const mostMs = 2_000;
const leastMs = 5;

/** Mean lateness against operation time for each schedule, both on logarithmic axes, as SVG. */
export function plot(points: Simulated[]): string {
  const seconds = points.map((point) => point.seconds);
  const [from, to] = [Math.min(...seconds), Math.max(...seconds)];
  const x = (value: number) => scale(value, { from, to, start: margin.left, end: width - margin.right });
  const y = (ms: number) => {
    const value = Math.min(mostMs, Math.max(leastMs, ms));
    return scale(value, { from: leastMs, to: mostMs, start: height - margin.bottom, end: margin.top });
  };
  const text = (at: [number, number], label: string, more = '') =>
    `<text x="${round(at[0])}" y="${round(at[1])}" fill="${gray}" ${more}>${label}</text>`;
  const rows = [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000].map(
    (ms) =>
      `<path d="M${margin.left} ${round(y(ms))}H${width - margin.right}" stroke="${gray}" stroke-opacity="0.25"/>` +
      text([margin.left - 8, y(ms) + 4], `${ms} ms`, 'text-anchor="end"'),
  );
  const columns = [0.2, 0.5, 1, 2, 5, 10].map((value) =>
    text([x(value), height - margin.bottom + 20], `${value} s`, 'text-anchor="middle"'),
  );
  const lines = (Object.keys(colors) as ScheduleName[]).map((name) => {
    const path = points.map((point) => `${round(x(point.seconds))} ${round(y(point.schedules[name].meanLateMs))}`);
    const last = points.at(-1)?.schedules[name].meanLateMs ?? 0;
    return (
      `<path d="M${path.join('L')}" fill="none" stroke="${colors[name]}" stroke-width="2.5"/>` +
      `<text x="${width - margin.right + 8}" y="${round(y(last) + 4)}" fill="${colors[name]}">${name}</text>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>Mean lateness of a step by the duration of its operations, for three ways to poll</title>',
    ...rows,
    ...columns,
    text([4, 12], 'mean lateness'),
    text([(margin.left + width - margin.right) / 2, height - 8], 'duration of the operations', 'text-anchor="middle"'),
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function scale(value: number, axis: { from: number; to: number; start: number; end: number }): number {
  const share = Math.log(value / axis.from) / Math.log(axis.to / axis.from);
  return axis.start + share * (axis.end - axis.start);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
