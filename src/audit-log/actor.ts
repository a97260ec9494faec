import { type Agent } from '../access/agent';

/** The originator of a change that the audit log records. */
export interface Actor {
  /** The user; null for a command on the service's machine. */
  id: number | null;
  /** The agent that acts for the user; absent if they act themselves. */
  agent?: Agent;
  /** The address of the client; null when the change was not caused by a request. */
  address: string | null;
}

/** A command on the service's machine, which acts for no user. */
export const COMMAND_LINE: Actor = { id: null, address: null };

/** Its name in the audit log. */
export const COMMAND_LINE_NAME = 'command line';
