/** A row of the input. `line` counts from 1 and names the row in error messages. */
export interface InputRow {
  line: number;
  cells: string[];
}
