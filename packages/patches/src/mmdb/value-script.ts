/**
 * How the values of the base become those of the result, in four parts per section. The first has runs of values: four times
 * their number plus one of `RUNS`. For `copy` and `change`, the distance follows from the end of the last value of the base that was
 * used to the first one to use; the values of a run are adjacent in both files. For `change`, a script follows for each value: four times
 * a number of tokens plus one of `EDITS`, and a zero keeps the tokens that are left. The second part has the bytes of new tokens, in
 * which pointers are bare, and the differences of changed ones. The third has the targets of pointers that cannot be predicted, and the
 * fourth how many are predicted correctly before each of those.
 */
export const RUNS = { copy: 0, change: 1, insert: 2 };
export const EDITS = { keep: 0, skip: 1, insert: 2, difference: 3 };

/** The control byte of a pointer without its target. */
export const BARE_POINTER = 0x20;

export const VALUE_PARTS = 4;
