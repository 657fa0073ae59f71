export type Place = [start: number, end: number];

/** Finds many words in a text at once. */
export interface Finder {
  /** Places of the words; of several that end at the same position, the longest one. */
  placesIn(text: string): Place[];
  /** Places of the longest beginning of a word (or the whole word) right before each mark. */
  beginningsIn(text: string, mark: string): Place[];
}

/**
 * The Aho–Corasick algorithm: one pass for all words, so that even a text with another secret in every line takes linear time.
 * The words form a trie, in which each node is a beginning of a word.
 */
export function createFinder(words: Iterable<string>): Finder {
  const depth = [0];
  /** Length of the longest word that a node ends with; 0 for none. */
  const longest = [0];
  /** The node of the longest other beginning that a node ends with: where to continue after a mismatch. */
  const fallback = [0];
  const parent = [0];
  const code = [-1];
  /** The first child of each node. Few nodes have more; those are in `more`. */
  const only = [0];
  const more = new Map<number, number>();

  const edge = (node: number, to: number): number => {
    const next = only[node] ?? 0;
    return code[next] === to ? next : (more.get(node * 0x10000 + to) ?? 0);
  };
  const grow = (from: number, to: number): number => {
    const node = depth.push((depth[from] ?? 0) + 1) - 1;
    for (const list of [longest, fallback, only]) list.push(0);
    parent.push(from);
    code.push(to);
    if (only[from] === 0) only[from] = node;
    else more.set(from * 0x10000 + to, node);
    return node;
  };
  for (const word of words) {
    let node = 0;
    for (let at = 0; at < word.length; at++) {
      const to = word.charCodeAt(at);
      node = edge(node, to) || grow(node, to);
    }
    longest[node] = word.length;
  }

  const step = (from: number, to: number): number => {
    for (let node = from; ; node = fallback[node] ?? 0) {
      const next = edge(node, to);
      if (next !== 0 || node === 0) return next;
    }
  };
  // A node's fallback is nearer to the root than the node itself, so nodes near the root come first.
  const order = [...depth.keys()].sort((a, b) => (depth[a] ?? 0) - (depth[b] ?? 0));
  for (const node of order) {
    const from = parent[node] ?? 0;
    if (from === 0) continue;
    const back = step(fallback[from] ?? 0, code[node] ?? 0);
    fallback[node] = back;
    longest[node] ||= longest[back] ?? 0;
  }

  /** Calls `visit` after each character at which a word or a beginning of one ends, with their lengths. */
  const walk = (text: string, visit: (end: number, word: number, beginning: number) => void) => {
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = step(node, text.charCodeAt(at));
      if (node !== 0) visit(at + 1, longest[node] ?? 0, depth[node] ?? 0);
    }
  };
  return {
    placesIn(text) {
      const places: Place[] = [];
      walk(text, (end, word) => word > 0 && places.push([end - word, end]));
      return places;
    },
    beginningsIn(text, mark) {
      const places: Place[] = [];
      if (!text.includes(mark)) return places;
      walk(text, (end, _, length) => text.startsWith(mark, end) && places.push([end - length, end]));
      return places;
    },
  };
}

/** Replaces a secret in a text. */
export const stars = '***';

/** The text with stars in those places; overlapping places get one `***`. */
export function withStars(text: string, places: Place[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of places.sort(([a], [b]) => a - b)) {
    if (start >= done) parts.push(text.slice(done, start), stars);
    done = Math.max(done, end);
  }
  return parts.join('') + text.slice(done);
}

/** Where as many matches of a sticky pattern as there are, one after another, end. One pattern for them all could exceed the stack. */
export function endOfAll(pattern: RegExp, text: string, from: number): number {
  let end = from;
  for (let next = endOf(pattern, text, end); next > end; next = endOf(pattern, text, end)) end = next;
  return end;
}

/** Where the match of a sticky pattern (`y`) at `from` ends; `from` itself if there is none. */
export function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
