/** The forms of a masked value that the runner hides, as far as they matter here: it has encoders for XML and Base64, too. */
function maskedForms(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), strictPercentEncoding(value)];
}

function strictPercentEncoding(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Hides the values registered so far, as the runner does line by line. With `encoded: false`, only the values themselves are
 * hidden and not the other forms: for tests that must not rely on the runner's encoders.
 */
export class Masker {
  private readonly forms = new Set<string>();
  private readonly encoded: boolean;

  constructor({ encoded = true } = {}) {
    this.encoded = encoded;
  }

  /** Registers the data of one `add-mask`: the value, and each of its lines. The runner ignores an empty one with a warning. */
  add(data: string): void {
    if (data.trim() === '') return;
    const lines = data.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
    for (const value of lines.length > 1 ? [data, ...lines] : [data])
      for (const form of this.encoded ? maskedForms(value) : [value]) if (form !== '') this.forms.add(form);
  }

  hide(text: string): string {
    const found = [...this.forms].filter((form) => text.includes(form));
    if (found.length === 0) return text;
    const hidden = new Uint8Array(text.length);
    for (const form of found)
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) hidden.fill(1, at, at + form.length);
    let shown = '';
    for (let at = 0; at < text.length; at++) {
      if (!hidden[at]) shown += text[at];
      else if (!hidden[at - 1]) shown += '***';
    }
    return shown;
  }
}

const formsOf = new Map<string, Map<string, string>>();

/** The forms in which a secret can be read, each with its name, without duplicates. */
export function secretForms(secret: string): Map<string, string> {
  const known = formsOf.get(secret);
  if (known) return known;
  if (secret.length < 4) throw new Error(`a secret of ${secret.length} characters would be found everywhere`);
  const address = new URL('postgresql://host');
  address.password = secret;
  const forms: [string, string][] = [
    [secret, 'raw'],
    [encodeURIComponent(secret.toWellFormed()), 'percent-encoded'],
    [strictPercentEncoding(secret), 'percent-encoded'],
    [strictPercentEncoding(secret).replace(/%../g, (octet) => octet.toLowerCase()), 'percent-encoded in lower case'],
    // URL libraries encode fewer characters than encodeURIComponent.
    [address.password, 'as in a URL'],
    [JSON.stringify(secret).slice(1, -1), 'JSON-escaped'],
  ];
  const named = new Map<string, string>();
  for (const [form, name] of forms) if (!named.has(form)) named.set(form, name);
  formsOf.set(secret, named);
  return named;
}

/** HTML or Markdown with its character references resolved, as a browser shows it. */
export function withoutEntities(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&#x([\da-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => named[name] ?? '');
}
