import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { MailLetterRepository, type NewLetter } from '../data/mail-letter.repository';
import { type LetterDetail, type MailLetter } from '../entities/mail-letter.entity';
import { bitsOf, type MailTopic } from '../letter-kind';
import { MailDispatcherService } from '../sending/mail-dispatcher.service';
import { MailSettings } from '../sending/mail-settings';

/**
 * Writes letters in the transaction of the change itself, so that a letter is sent if and only if its change commits. Without a mail server,
 * nothing is written.
 */
@Injectable()
export class LettersService {
  constructor(
    private readonly letters: MailLetterRepository,
    private readonly transactions: TransactionsService,
    private readonly dispatcher: MailDispatcherService,
    private readonly settings: MailSettings,
  ) {}

  /** Whether the service sends mail. */
  get isOn(): boolean {
    return this.settings.isOn;
  }

  /** Writes letters. */
  async add(manager: EntityManager, letters: readonly NewLetter[]): Promise<void> {
    if (!this.isOn || letters.length === 0) return;
    await this.letters.insert(manager, letters, Date.now());
    this.wakeAfter(manager);
  }

  /** Writes letters about notifications of one topic, for the users who want each of them. */
  async addOfNotifications(
    manager: EntityManager,
    notificationIds: readonly number[],
    topic: MailTopic,
    detail: LetterDetail | null,
  ): Promise<void> {
    if (!this.isOn || notificationIds.length === 0) return;
    const of = { topic: bitsOf([topic]), detail, now: Date.now() };
    const count = await this.letters.insertOfNotifications(manager, notificationIds, of);
    if (count > 0) this.wakeAfter(manager);
  }

  /** Writes a letter for each of these users who wants letters about a topic. */
  async addOfUsers(
    manager: EntityManager,
    userIds: readonly number[],
    letter: Pick<MailLetter, 'kind' | 'projectId' | 'detail'>,
    topic: MailTopic,
  ): Promise<void> {
    if (!this.isOn || userIds.length === 0) return;
    const of = { topic: bitsOf([topic]), now: Date.now() };
    const count = await this.letters.insertOfUsers(manager, userIds, letter, of);
    if (count > 0) this.wakeAfter(manager);
  }

  /**
   * Notes the address of a letter that was written without one, unless `most` others of its kind have had it since a time; returns whether it has
   * it now. The transaction has locked whatever all letters to the address lock.
   */
  async addressWithin(
    manager: EntityManager,
    { id, kind }: Pick<MailLetter, 'id' | 'kind'>,
    address: string,
    { since, most }: { since: number; most: number },
  ): Promise<boolean> {
    const others = await this.letters.countOthers(manager, { id, kind, address }, since, most);
    if (others < most) await this.letters.setAddress(manager, id, address);
    return others < most;
  }

  private wakeAfter(manager: EntityManager): void {
    this.transactions.afterCommit(manager, () => this.dispatcher.wake());
  }
}
