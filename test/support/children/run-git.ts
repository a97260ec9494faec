import { type ExecFileOptions, execFile } from 'node:child_process';
import { type GitOutcome } from '../git';
import { type GitCommand } from '../git-runner';

/** Runs the git commands of a worker until the worker ends. */
process.on('message', ({ id, command }: { id: number; command: GitCommand }) => {
  void run(command).then((outcome) => process.connected && process.send?.({ id, outcome }));
});

function run({ args, cwd, env, input }: GitCommand): Promise<GitOutcome> {
  const options: ExecFileOptions = { cwd, env, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    const { stdin } = execFile('git', args, options, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
      resolve({ code, stdout: String(stdout), stderr: String(stderr) });
    });
    if (input === undefined) return;
    // A command that reads no input may have ended.
    stdin?.on('error', () => undefined);
    stdin?.end(input);
  });
}
