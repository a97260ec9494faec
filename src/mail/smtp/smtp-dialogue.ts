/** Receives each line of the dialogue with the mail server, without secrets. */
export type DialogueListener = (line: string) => void;

/** Receives whether the server has been asked for a recipient, and has not answered yet. */
export type RecipientListener = (isAsked: boolean) => void;

const RECIPIENT = 'RCPT TO:';

/** What nodemailer puts in place of a login looks like one. */
const withoutLogin = (line: string): string => line.replace(/^(AUTH \S+) .*/, '$1 ***');

/** Follows what the client and the server say on a connection. */
export class SmtpDialogue {
  /** A logger for nodemailer. */
  readonly logger: Record<string, (...entry: unknown[]) => void>;
  /** Commands without an answer, in order: a client may send several at once (RFC 2920). */
  private readonly unanswered: string[] = [];
  private isRecipientAsked = false;
  private recipientListener?: RecipientListener;

  /** @param listener for diagnosis */
  constructor(private readonly listener?: DialogueListener) {
    const log = (data: unknown, message: unknown, ...parameters: unknown[]): void => {
      const { tnx } = (data ?? {}) as { tnx?: string };
      if (tnx !== 'client' && tnx !== 'server') return;
      const text =
        parameters.length > 0 && String(message) === '%s' ? String(parameters[0]) : String(message);
      this.note(tnx, text);
    };
    this.logger = {
      ...{ trace: log, debug: log, info: log, warn: log, error: log, fatal: log },
      level: () => undefined,
    };
  }

  /** Sets who is told about the recipient from now on. */
  onRecipient(listener: RecipientListener): void {
    this.recipientListener = listener;
  }

  private note(speaker: 'client' | 'server', text: string): void {
    if (this.listener) {
      for (const line of text.split(/\r?\n/)) {
        if (line !== '') this.listener(`${speaker === 'client' ? '>' : '<'} ${withoutLogin(line)}`);
      }
    }
    if (speaker === 'client') this.unanswered.push(text);
    else this.unanswered.shift();
    const isAsked = this.unanswered.some((command) => command.startsWith(RECIPIENT));
    if (isAsked === this.isRecipientAsked) return;
    this.isRecipientAsked = isAsked;
    this.recipientListener?.(isAsked);
  }
}
