import { expect, it, onTestFinished, vi } from "vitest";
import { answerStart } from "../../../src/http/express/answer-head.ts";

it("an answer begins with its status, the second that it is, and what is said about the connection", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2027, 0, 1, 0, 0, 0, 999) });
  onTestFinished(() => void vi.useRealTimers());
  const said = () => [
    answerStart(200, "Connection: keep-alive"),
    answerStart(304, "Connection: keep-alive"),
    answerStart(200, "Connection: close"),
    answerStart(200, "Connection: keep-alive"),
  ];
  const at = (date: string) => [
    `HTTP/1.1 200 OK\r\nDate: ${date}\r\nConnection: keep-alive\r\n`,
    `HTTP/1.1 304 Not Modified\r\nDate: ${date}\r\nConnection: keep-alive\r\n`,
    `HTTP/1.1 200 OK\r\nDate: ${date}\r\nConnection: close\r\n`,
    `HTTP/1.1 200 OK\r\nDate: ${date}\r\nConnection: keep-alive\r\n`,
  ];
  expect(said()).toEqual(at("Fri, 01 Jan 2027 00:00:00 GMT"));
  vi.setSystemTime(Date.UTC(2027, 0, 1, 0, 0, 1));
  expect(said()).toEqual(at("Fri, 01 Jan 2027 00:00:01 GMT"));
  // The clock was put back.
  vi.setSystemTime(Date.UTC(2027, 0, 1));
  expect(said()).toEqual(at("Fri, 01 Jan 2027 00:00:00 GMT"));
});
