/** Parses one metadata document and posts the result. */
import { parentPort, workerData } from "node:worker_threads";
import { parseDocument } from "./parse-document.ts";

parentPort?.postMessage(parseDocument(Buffer.from(workerData as Uint8Array)));
