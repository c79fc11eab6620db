// promptfoo: an assertion that grades with judgemesh.
//   assert: [{type: javascript, value: file://grading.cjs}]
// One Python process serves every assertion of the run, so that there is one mesh and one run in the ledger. An
// undecided gate throws: promptfoo counts the test as an error and not as a failure. (Its Python assertions cannot
// do that: an exception there is a score of 0.)
const { spawn } = require('node:child_process');
const readline = require('node:readline');

const python = process.env.PROMPTFOO_PYTHON || 'python3';
const waiting = new Map();
let child;
let number = 0;

function start() {
  child = spawn(python, ['-m', 'judgemesh.mesh.integrations.promptfoo', '--serve'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readline.createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line);
    const settle = waiting.get(reply.number);
    waiting.delete(reply.number);
    settle(reply);
    if (waiting.size === 0) hold(false);
  });
  const fail = (why) => {
    for (const settle of waiting.values()) settle({ error: `judgemesh: ${python} ${why}` });
    waiting.clear();
    child = undefined;
  };
  child.on('error', (error) => fail(`cannot be started: ${error.message}`));
  child.on('exit', (code) => fail(`ended with ${code}; PROMPTFOO_PYTHON names the one that has judgemesh`));
}

// The process may end as soon as nothing is being graded; Python then reads the end of its input and closes.
function hold(busy) {
  for (const handle of [child, child.stdin, child.stdout]) busy ? handle.ref() : handle.unref();
}

module.exports = async (output, context) => {
  if (!child) start();
  number += 1;
  const { vars, test, config, providerResponse } = context;
  const request = {
    number,
    output,
    vars,
    config,
    description: test && test.description,
    metadata: { ...(providerResponse && providerResponse.metadata), ...(test && test.metadata) },
  };
  hold(true);
  const reply = await new Promise((settle) => {
    waiting.set(request.number, settle);
    child.stdin.write(`${JSON.stringify(request)}\n`);
  });
  if (reply.error) throw new Error(reply.error);
  return reply.grading;
};
