import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { NoResourceError } from '../../errors/domain-errors';
import { SpaceService } from '../../space/space.service';
import { type MailTestDto } from '../dto/mail-test.dto';
import { buildTestMessage } from '../letters/test-letter';
import { SmtpConnections } from '../smtp/smtp-connections';
import { explainSmtpFailure, type SmtpError } from '../smtp/smtp-failure';
import { MailSettings } from './mail-settings';
import { RecipientsService } from './recipients.service';

/** Sends Administrators a letter at once, so that they see whether mail arrives (`docs/decisions/0066-mail.md#failures`). */
@Injectable()
export class TestLettersService {
  constructor(
    private readonly settings: MailSettings,
    private readonly environment: Environment,
    private readonly recipients: RecipientsService,
    private readonly space: SpaceService,
  ) {}

  /**
   * Sends a letter to a user over a connection of its own, also while sending is paused. Its result changes nothing.
   * @throws NoResourceError for a user who has left or is disabled
   */
  async send(userId: number): Promise<MailTestDto> {
    const recipient = await this.recipients.find(userId);
    if (!recipient) throw new NoResourceError('user');
    const { address, name, language } = recipient.user;
    const { server, from, timeout } = this.settings;
    if (!server) return { mailAddress: address, reason: 'No mail is sent: SMTP_URL is not set.' };
    const spaceName = (await this.space.get()).name;
    const message = await buildTestMessage(
      { from, to: { address, name }, language, spaceName },
      this.environment,
    );
    const connections = new SmtpConnections(server, timeout);
    try {
      await connections.send({ from, to: address, message });
      return { mailAddress: address, reason: null };
    } catch (error) {
      return { mailAddress: address, reason: explainSmtpFailure(error as SmtpError, address).message };
    } finally {
      connections.close();
    }
  }
}
