/** The thread that writes the history, files it, and reads what customers ask for. */
import { answerRequests } from "./answering.ts";
import { type AttemptValues, type HistoryPage, SqliteHistory } from "./history.ts";

/** Attempts as JSON: one text crosses between threads at less cost than many values. */
export type HistoryRequest = { attemptsJson: string } | { page: HistoryPage };

answerRequests((database) => {
  // Another connection moves the log into the database meanwhile (attempts.ts): here downloads would wait for it.
  database.exec("pragma wal_autocheckpoint = 0");
  const history = new SqliteHistory(database);
  let isAtWork = false;
  const work = () => {
    isAtWork = keepOn(history);
    if (isAtWork) setImmediate(work);
  };
  return (request: HistoryRequest): AttemptValues[] => {
    if ("page" in request) return history.page(request.page);
    history.append(JSON.parse(request.attemptsJson));
    if (!isAtWork) {
      isAtWork = true;
      setImmediate(work);
    }
    return [];
  };
});

/** A failure loses nothing: what is not filed is found all the same, and filed after the next so many attempts. */
function keepOn(history: SqliteHistory): boolean {
  try {
    return history.work();
  } catch (error) {
    process.emitWarning(`the history could not be filed: ${(error as Error).message}`);
    return false;
  }
}
