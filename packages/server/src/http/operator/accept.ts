/** Whether an `Accept` header prefers CSV to JSON, the default. */
export function prefersCsv(accept: string | undefined): boolean {
  const csv = qualityOf("text/csv", accept);
  return csv > 0 && csv > qualityOf("application/json", accept);
}

/** The quality of a media type that is named explicitly (RFC 9110, 12.5.1); 0 if it is not. */
function qualityOf(type: string, accept = ""): number {
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return 0;
}
