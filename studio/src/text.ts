// Texts of hooks for people: everything stays text, and nothing of it is invisible.

const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns a text whose control characters, and those that reorder or hide text, are visible. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(INVISIBLE, (letter) => {
    const code = letter.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
  });
}

export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (value < 1) return `${value.toFixed(2)} ms`;
  if (value < 100) return `${value.toFixed(1)} ms`;
  return value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

export function bytes(size: number): string {
  if (size < 1024) return count(size, "byte");
  return size < 1 << 20 ? `${(size / 1024).toFixed(1)} KiB` : `${(size / (1 << 20)).toFixed(1)} MiB`;
}

/** Returns the last part of a path, and what is before it. */
export function splitPath(path: string): [string, string] {
  const at = path.lastIndexOf("/");
  return [path.slice(0, at + 1), path.slice(at + 1)];
}
