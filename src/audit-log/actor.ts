/** Who makes a change that the audit log records. */
export interface Actor {
  /** The user; null for a command on the service's machine. */
  id: number | null;
  /** The address of the client; null when the change came by no request. */
  address: string | null;
}

/** A command on the service's machine, which acts for no user. */
export const COMMAND_LINE: Actor = { id: null, address: null };

/** What the audit log calls it. */
export const COMMAND_LINE_NAME = 'command line';
