import { availableParallelism } from 'node:os';

/** What one git process may use. */
export interface GitLimits {
  /** Address space in bytes, of each of its processes; 0 = no limit. */
  memory: number;
  /** CPU time in seconds, of each of its processes. */
  cpuSeconds: number;
}

/** Maximum number of threads of a process: each takes address space for its stack, and memory for its window. */
const MAX_THREADS = 4;

/**
 * Settings with which git works on repositories larger than its address space: it maps packs in windows, and limits the memory of each
 * thread.
 */
export const LIMITED_SETTINGS: Readonly<Record<string, string>> = {
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '256m',
  'core.deltaBaseCacheLimit': '48m',
  'pack.threads': String(Math.min(availableParallelism(), MAX_THREADS)),
  'pack.windowMemory': '64m',
  'pack.deltaCacheSize': '64m',
};

/** Each further arena of the C library reserves 64 MiB of address space. */
export const LIMITED_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' };

/**
 * Returns the command that runs a program within limits: every shell can set them, while `prlimit` is missing on some systems. The shell
 * is replaced by the program, which keeps its process id. Where a limit cannot be set, as on macOS, the program runs without it.
 */
export function limitedCommand(
  program: string,
  args: readonly string[],
  { memory, cpuSeconds }: GitLimits,
): { command: string; args: string[] } {
  const limits = [
    // The signal of the CPU limit would otherwise write the memory of the process to a file in the repository.
    'ulimit -c 0',
    // Only the soft limit, because the hard one kills with a signal that says nothing.
    `ulimit -S -t ${cpuSeconds}`,
    ...(memory > 0 ? [`ulimit -v ${Math.ceil(memory / 1024)}`] : []),
  ];
  const script = `{ ${limits.join('; ')}; } 2>/dev/null; exec "$@"`;
  return { command: '/bin/sh', args: ['-c', script, 'git', program, ...args] };
}

/** The end of a process, as far as it shows a limit. */
interface End {
  signal: NodeJS.Signals | null;
  stderr: string;
}

/** Parts of the messages with which git exits when it cannot get memory, or when an object exceeds `GIT_ALLOC_LIMIT`. */
const OUT_OF_MEMORY =
  /out of memory|attempting to allocate|cannot allocate memory|failed to allocate|unable to create (?:async )?thread/i;
/** Git's message about a process of its own that the CPU limit has ended. */
const CHILD_OUT_OF_TIME = new RegExp(`died of signal ${process.platform === 'linux' ? 24 : '\\d+'}\\b`);

/** Returns whether git exited because an object, or the process, would have exceeded the memory limit. */
export const isOutOfMemory = (stderr: string): boolean => OUT_OF_MEMORY.test(stderr);

/** Returns whether git was ended by the limit of CPU time. */
export const isOutOfTime = ({ signal, stderr }: End): boolean =>
  signal === 'SIGXCPU' || CHILD_OUT_OF_TIME.test(stderr);
