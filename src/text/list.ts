/** `a, b and c`, for a sentence. */
export function listOf(words: readonly string[], last: 'and' | 'or'): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}` : words.join('');
}
