import { type Agent } from '../../src/access/agent';
import { type ActivityDto } from '../../src/activities/dto/activity.dto';
import { type AuditLogEntryDto } from '../../src/audit-log/dto/audit-log-entry.dto';
import { type CommentDto } from '../../src/comments/dto/comment.dto';
import { type DocumentCommentDto } from '../../src/documents/dto/document-comment.dto';
import { type NewApiKeyDto } from '../../src/users/dto/api-key.dto';
import { ApiClient } from '../support/api';
import { describeWithGit, GitFolder, WITH_GIT } from '../support/git';
import { PushedRepository } from '../support/pushes';
import { QUICK_DELIVERY, useDeliveries } from '../support/webhooks';
import {
  type Person,
  type ProjectFixture,
  pullRequestComments,
  useWorld,
  type World,
} from '../support/world';

/** A key of an agent that acts for a person. */
interface AgentKey {
  api: ApiClient;
  shown: Agent;
}

async function addAgent(world: World, person: Person): Promise<AgentKey> {
  const path = `/users/${person.id}/apiKeys`;
  const { body } = await person.api.post<NewApiKeyDto>(path, { name: 'Laptop', agent: 'Claude Code' });
  return {
    api: new ApiClient(world.server.baseUrl, body.key),
    shown: { name: 'Claude Code', keyId: body.id, keyName: 'Laptop' },
  };
}

describe('what an agent does for a user', () => {
  const tested = useDeliveries(useWorld(QUICK_DELIVERY));
  let project: ProjectFixture;
  let person: Person;
  let agent: AgentKey;

  beforeEach(async () => {
    const { world } = tested;
    project = await world.addProject();
    person = await world.addMember(project);
    agent = await addAgent(world, person);
  });

  it('is shown in comments on issues, with the user as the author', async () => {
    const path = `/issues/${project.issueKey}/comments`;
    const { body: added } = await agent.api.post<CommentDto>(path, { content: 'Done' });
    expect(added).toMatchObject({ createdUser: { id: person.id }, agent: agent.shown });
    const { body: own } = await person.api.post<CommentDto>(path, { content: 'Thanks' });
    expect(own).not.toHaveProperty('agent');
    const { body: listed } = await person.api.get<CommentDto[]>(`${path}?order=asc`);
    expect(listed.map((comment) => comment.agent)).toEqual([agent.shown, undefined]);
    expect((await person.api.get(`${path}/${added.id}`)).body).toMatchObject({ agent: agent.shown });
    await agent.api.patch(`/issues/${project.issueKey}`, { statusId: 2 });
    const { body: changes } = await person.api.get<CommentDto[]>(`${path}?count=1`);
    expect(changes).toMatchObject([{ changeLog: [{ field: 'status' }], agent: agent.shown }]);
  });

  it('is shown in the comments of the user that it has changed', async () => {
    const path = `/issues/${project.issueKey}/comments`;
    const { body: own } = await person.api.post<CommentDto>(path, { content: 'Mine' });
    await agent.api.patch(`${path}/${own.id}`, { content: 'Changed' });
    expect((await person.api.get(`${path}/${own.id}`)).body).toMatchObject({ agent: agent.shown });
    await person.api.patch(`${path}/${own.id}`, { content: 'Mine again' });
    expect((await person.api.get(`${path}/${own.id}`)).body).toMatchObject({ agent: agent.shown });
  });

  it('is shown in comments on pull requests and documents, and in replies', async () => {
    const comments = pullRequestComments(project);
    await agent.api.post(comments, { content: 'Looks good' });
    expect((await person.api.get(comments)).body).toMatchObject([{ agent: agent.shown }]);
    const document = { projectId: project.id, title: 'Notes', content: 'Text' };
    const { body } = await person.api.post<{ id: string }>('/documents', document);
    const path = `/documents/${body.id}/comments`;
    const added = await person.api.post<DocumentCommentDto>(path, { content: 'Why?' });
    const reply = { content: 'Because', commentId: added.body.id };
    const { body: answered } = await agent.api.post<DocumentCommentDto>(path, reply);
    expect(answered).not.toHaveProperty('agent');
    expect(answered.replies).toMatchObject([{ createdUser: { id: person.id }, agent: agent.shown }]);
  });

  it('is shown in activities, webhooks and the audit log', async () => {
    const { world } = tested;
    const endpoint = tested.receiver.endpoint();
    await world.admin.api.post(`/projects/${project.id}/webhooks`, {
      name: 'All',
      hookUrl: endpoint.url,
      allEvent: true,
    });
    await agent.api.post('/wikis', { projectId: project.id, name: 'Page', content: 'Text' });
    const [request] = await endpoint.received(1);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      createdUser: { id: person.id },
      agent: agent.shown,
    });
    await person.api.post('/wikis', { projectId: project.id, name: 'Another', content: 'Text' });
    const { body } = await person.api.get<ActivityDto[]>(`/projects/${project.id}/activities?count=2`);
    expect(body.map((activity) => activity.agent)).toEqual([undefined, agent.shown]);
    const [, first] = body;
    expect((await person.api.get(`/activities/${first?.id}`)).body).toEqual(first);
    await agent.api.patch(`/users/${person.id}`, { name: 'A new name' });
    const { body: entries } = await world.admin.api.get<AuditLogEntryDto[]>('/space/auditLog?count=2');
    expect(entries).toMatchObject([
      { action: 'user.update', actorId: person.id, agent: agent.shown },
      { agent: null },
    ]);
  });

  it('is still shown after its key has been revoked', async () => {
    const path = `/issues/${project.issueKey}/comments`;
    await agent.api.post(path, { content: 'Done' });
    await person.api.delete(`/users/${person.id}/apiKeys/${agent.shown.keyId}`);
    expect((await agent.api.get('/users/myself')).status).toBe(401);
    expect((await person.api.get(path)).body).toMatchObject([{ agent: agent.shown }]);
  });
});

describeWithGit('what an agent pushes for a user', () => {
  const tested = useWorld(WITH_GIT);

  it('is shown in the activity of the push and in the comments on issues', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const person = await world.addMember(project);
    const agent = await addAgent(world, person);
    const folder = await GitFolder.make();
    try {
      const repository = await PushedRepository.clone(world, project.repositoryId, folder);
      await repository.commit(`Begin ${project.issueKey}`);
      await repository.push({ ...person, agent: agent.shown }, 'main');
      await world.background.whenIdle();
    } finally {
      await folder.remove();
    }
    const { body } = await person.api.get<ActivityDto[]>(`/projects/${project.id}/activities?count=2`);
    expect(body).toMatchObject([
      { type: 3, createdUser: { id: person.id }, agent: agent.shown },
      { type: 12, createdUser: { id: person.id }, agent: agent.shown },
    ]);
  });
});
