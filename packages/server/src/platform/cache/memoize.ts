/** Returns the same value for the same text. The results are kept for as long as the returned function. */
export function memoize<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    made.set(text, value);
    return value;
  };
}
