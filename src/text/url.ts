/** Whether a text can be one segment of a path: an empty one, or dots, would lead to a different path. */
export function isSegment(text: string): boolean {
  return text.isWellFormed() && !/^\.{0,2}$/.test(text);
}

/** Whether a hostname, as a `URL` has it, is always this machine. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Percent-decoding that leaves a text with an invalid escape as it is. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
