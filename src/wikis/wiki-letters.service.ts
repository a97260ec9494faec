import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { pastChangeOf } from '../access/past-change';
import { Environment } from '../config/environment';
import { type ClaimedLetter } from '../mail/data/mail-letter.repository';
import { LetterKind } from '../mail/letter-kind';
import { excerptOf, type LetterContent } from '../mail/letters/letter-content';
import { LETTER_TEXTS } from '../mail/letters/letter-texts';
import { LetterKindsService, type LetterUser } from '../mail/outbox/letter-kinds.service';
import { LettersService } from '../mail/outbox/letters.service';
import { ProjectPeopleService } from '../projects/project-people.service';
import { ProjectsService } from '../projects/projects.service';
import { UsersService } from '../users/users.service';
import { WikiRepository } from './data/wiki.repository';
import { wikiPath } from './wiki.mapper';

/** Letters about wiki pages to the members of their projects, for requests with `mailNotify`. */
@Injectable()
export class WikiLettersService {
  constructor(
    private readonly letters: LettersService,
    private readonly people: ProjectPeopleService,
    private readonly projects: ProjectsService,
    private readonly users: UsersService,
    private readonly wikis: WikiRepository,
    private readonly environment: Environment,
    kinds: LetterKindsService,
  ) {
    kinds.register(LetterKind.Wiki, (letter, user) => this.compose(letter, user));
  }

  /** Writes letters to the members of a page's project, except for the user who added or changed it. Nobody gets one about a past change. */
  async add(
    manager: EntityManager,
    { id, projectId }: { id: number; projectId: number },
    senderId: number,
    isNew: boolean,
  ): Promise<void> {
    if (!this.letters.isOn || pastChangeOf(manager)) return;
    const members = await this.people.findMemberIds(manager, projectId);
    const userIds = members.filter((userId) => userId !== senderId);
    const detail = { subjectId: id, senderId, isNew };
    await this.letters.addOfUsers(manager, userIds, { kind: LetterKind.Wiki, projectId, detail }, 'wikis');
  }

  private async compose(
    { detail, projectId }: ClaimedLetter,
    user: LetterUser | undefined,
  ): Promise<LetterContent | undefined> {
    const { subjectId, senderId, isNew } = detail ?? {};
    if (!user || projectId === null || subjectId === undefined || senderId === undefined) return undefined;
    // Their rights may have changed since.
    if (!(await this.wikis.findVisibleTitle({ id: user.id, roleType: user.roleType }, subjectId))) {
      return undefined;
    }
    const page = await this.wikis.findById(subjectId);
    if (!page) return undefined;
    const { projectKey } = await this.projects.get(projectId);
    const sender = await this.users.get(senderId);
    const { language } = user;
    const texts = LETTER_TEXTS[language];
    const content = excerptOf(page.content);
    return {
      language,
      to: user,
      sender: sender.name,
      subject: `[${projectKey}] ${page.name}`,
      parts: [
        { text: isNew ? texts.wikiAdded(sender.name) : texts.wikiUpdated(sender.name) },
        ...(content === '' ? [] : [{ quote: content }]),
        { link: { text: texts.open, url: this.environment.webUrl(wikiPath(subjectId)) } },
      ],
      reason: texts.reasons.wikis,
      thread: `wiki-${subjectId}`,
      projectKey,
      canBeEnded: true,
    };
  }
}
