import { type EntityManager } from 'typeorm';
import { CommentThread } from '../../../src/comments/entities/comment-thread.entity';
import { Comment } from '../../../src/comments/entities/comment.entity';
import { DocumentComment } from '../../../src/documents/entities/document-comment.entity';
import { Document } from '../../../src/documents/entities/document.entity';
import { EPOCH, insertAll, type SeedDatabase, SENTENCE } from '../../support/seed-database';
import { empty, list, one, ten } from '../list';
import { PROJECTS } from '../population';
import { type SeededResource } from '../seeded-resource';
import { type Frame, type FrameProject } from './frame';
import { commentId } from './issues';

const CHILDREN = 4;
/** Comments on the first document, half of them replies to the first comment. */
const COMMENTS = 100;
const PLAIN = SENTENCE.repeat(5);
const JSON_TEXT = JSON.stringify({
  type: 'doc',
  content: [{ type: 'paragraph', content: [{ type: 'text', text: PLAIN }] }],
});

/** Adds documents, four below each one at the top, and comments on the first. */
function seedDocuments(database: SeedDatabase, frame: Frame): Promise<void> {
  return database.write(async (manager) => {
    await addDocuments(manager, frame);
    await addComments(manager, frame);
    for (const { id } of frame.projects) await moveCounter(manager, id);
  });
}

/** Returns the id of a document as used in the API. */
const documentUid = (document: number): string => (document + 1).toString(16).padStart(32, '0');

/** Thread ids of documents follow those of wiki pages. */
const threadIdOf = ({ population: { amounts } }: Frame, document: number): number =>
  amounts.issues + amounts.pullRequests + amounts.wikis + document + 1;

async function addDocuments(manager: EntityManager, frame: Frame): Promise<void> {
  const { population, projects } = frame;
  const documents = Array.from({ length: population.amounts.documents }, (_, index) => index);
  const projectOf = (document: number): FrameProject => projects[document % PROJECTS] as FrameProject;
  await insertAll(manager, CommentThread, documents, (document) => ({
    id: threadIdOf(frame, document),
    projectId: projectOf(document).id,
  }));
  await insertAll(manager, Document, documents, (document) => {
    const place = Math.floor(document / PROJECTS);
    const position = place % (CHILDREN + 1);
    const isAtTop = position === 0;
    const createdUserId = population.author(document % PROJECTS, document);
    const created = EPOCH + document * 1000;
    return {
      id: document + 1,
      uid: documentUid(document),
      projectId: projectOf(document).id,
      threadId: threadIdOf(frame, document),
      parentId: isAtTop ? null : document + 1 - position * PROJECTS,
      depth: isAtTop ? 1 : 2,
      position: isAtTop ? place : position,
      title: `Document ${document + 1}`,
      emoji: null,
      json: JSON_TEXT,
      plain: PLAIN,
      size: JSON_TEXT.length + PLAIN.length,
      statusId: 1,
      removalDue: null,
      createdUserId,
      created,
      updatedUserId: createdUserId,
      updated: created,
    };
  });
}

async function addComments(manager: EntityManager, frame: Frame): Promise<void> {
  const { comments: onIssues, pullRequestComments } = frame.population.amounts;
  const comments = Array.from({ length: COMMENTS }, (_, index) => index);
  const idOf = (comment: number): number => commentId(onIssues + pullRequestComments + comment);
  await insertAll(manager, Comment, comments, (comment) => ({
    id: idOf(comment),
    threadId: threadIdOf(frame, 0),
    content: PLAIN,
    changeLog: [],
    createdUserId: frame.population.author(0, comment),
    created: EPOCH + comment * 1000,
    updated: EPOCH + comment * 1000,
  }));
  await insertAll(manager, DocumentComment, comments, (comment) => ({
    commentId: idOf(comment),
    uid: documentUid(comment),
    parentId: comment % 2 === 0 ? null : idOf(0),
    json: JSON_TEXT,
  }));
}

async function moveCounter(manager: EntityManager, projectId: number): Promise<void> {
  await manager.query(
    `UPDATE project_counter SET used = (SELECT COUNT(*) FROM document WHERE project_id = ?)
      WHERE project_id = ? AND name = 'document'`,
    [projectId, projectId],
  );
}

export const documents: SeededResource = {
  seed: seedDocuments,
  parameters: { documentId: documentUid(0) },
  lists: [
    list('listDocuments'),
    list('listDocuments', '', one),
    list('listDocuments', '', ten),
    list('listDocuments', 'order=asc', ten),
    list('listDocuments', 'count=100'),
    list('listDocuments', 'offset=40'),
    list('listDocuments', 'sort=created'),
    list('listDocuments', 'sort=created', ten),
    list('listDocuments', 'projectId[]={projectId}'),
    list('listDocuments', 'projectId[]={projectId}', ten),
    list('listDocuments', 'keyword=Document', one),
    list('listDocuments', 'keyword=nowhere', empty),
    list('countDocuments', 'projectIdOrKey={projectIdOrKey}'),
    list('listDocumentComments'),
  ],
};
