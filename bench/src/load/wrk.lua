-- Sends the requests that stand on standard input, a NUL behind each, over and over. Told when and how long the turns
-- are, it sends in every other one only: arguments are the first turn's begin, by the clock in milliseconds, how long a
-- turn takes, how many there are, and the number of its own first one.
local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds; long microseconds; } dbdepot_time;
  int gettimeofday(dbdepot_time *time, void *zone);
]]

local requests, count, at = {}, 0, 0
-- Of the thread that makes the load, and so not local: `done` runs in another.
isLate = false
local loadThread

function setup(thread)
  loadThread = thread
end

local clock = ffi.new("dbdepot_time")
local function nowMs()
  ffi.C.gettimeofday(clock, nil)
  return tonumber(clock.seconds) * 1000 + tonumber(clock.microseconds) / 1000
end

local function takeTurns(beginMs, turnMs, turns, first)
  local isBegun = false
  -- How many milliseconds a connection waits before its next request: what is under way is answered in peace.
  function delay()
    local passed = nowMs() - beginMs
    isLate = isLate or (not isBegun and passed > 0)
    isBegun = true
    local turn = math.max(math.floor(passed / turnMs), -1)
    if turn >= turns then return 3600000 end
    if turn >= 0 and turn % 2 == first then return 0 end
    local own = turn + 1
    if own % 2 ~= first then own = own + 1 end
    return math.ceil(own * turnMs - passed)
  end
end

function init(args)
  for request in io.read("*a"):gmatch("[^%z]+") do
    count = count + 1
    requests[count] = request
  end
  if args[1] then takeTurns(tonumber(args[1]), tonumber(args[2]), tonumber(args[3]), tonumber(args[4])) end
end

function request()
  at = at % count + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests": %d, "seconds": %.6f, "bytes": %d, "refused": %d, "broken": %d, "p50Ms": %.4f, "p99Ms": %.4f, "isLate": %s}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, tostring(loadThread:get("isLate"))))
end
