import { createRequire } from 'node:module';
import { type CommandFile } from './command';

/** A command as listed by `pms --help`. */
export interface RegisteredCommand {
  name: string;
  description: string;
  /** Whether a running service executes it for another process, if it writes to the embedded database. */
  isHosted?: true;
  /** Whether only other commands call it. */
  isInternal?: true;
  load: () => CommandFile;
}

/** Loads a file only when its command is called: loading the service's code takes most of a command's time. */
const load = createRequire(__filename);

/** Every command, in the order of `pms --help`. A new one is a file in `commands/` and an entry here. */
export const COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'serve',
    description: 'run the service; the default command',
    load: () => load('./commands/serve.command') as CommandFile,
  },
  {
    name: 'user',
    description: 'add, list, disable and enable users',
    isHosted: true,
    load: () => load('./commands/user.command') as CommandFile,
  },
  {
    name: 'key',
    description: 'add, list and revoke API keys',
    isHosted: true,
    load: () => load('./commands/key.command') as CommandFile,
  },
  {
    name: 'sso',
    description: 'add, list, check and remove identity providers for single sign-on',
    isHosted: true,
    load: () => load('./commands/sso.command') as CommandFile,
  },
  {
    name: 'mail',
    description: 'check whether mail can be sent',
    load: () => load('./commands/mail.command') as CommandFile,
  },
  {
    name: 'migrate',
    description: 'migrate the database to the schema of this version',
    load: () => load('./commands/migrate.command') as CommandFile,
  },
  {
    name: 'rotate-encryption',
    description: 're-encrypt secrets with the first key of ENCRYPTION_KEY',
    load: () => load('./commands/rotate-encryption.command') as CommandFile,
  },
  {
    name: 'backup',
    description: 'write a backup of all data to one file',
    load: () => load('./commands/backup.command') as CommandFile,
  },
  {
    name: 'restore',
    description: 'restore a backup into an empty database and storage',
    load: () => load('./commands/restore.command') as CommandFile,
  },
  {
    name: 'doctor',
    description: 'check settings, database, files, git, webhooks and mail; repair faults with --fix',
    load: () => load('./commands/doctor.command') as CommandFile,
  },
  {
    name: 'mend',
    description: 'repair faults that pms doctor has found',
    isHosted: true,
    isInternal: true,
    load: () => load('./commands/mend.command') as CommandFile,
  },
  {
    name: 'health',
    description: 'check whether the running service is ready',
    load: () => load('./commands/health.command') as CommandFile,
  },
  {
    name: 'storage',
    description: 'move files to another storage',
    load: () => load('./commands/storage.command') as CommandFile,
  },
  {
    name: 'export',
    description: 'write projects with everything in them to one archive',
    load: () => load('./commands/export.command') as CommandFile,
  },
  {
    name: 'import',
    description: 'import projects from an archive',
    isHosted: true,
    load: () => load('./commands/import.command') as CommandFile,
  },
  {
    name: 'project',
    description: 'export a project',
    load: () => load('./commands/project.command') as CommandFile,
  },
];
