/** Rows in columns for the terminal: the first column to the left, figures to the right. The first row is the head. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("   ")
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => "─".repeat(width)).join("   "));
  return `${lines.join("\n")}\n`;
}
