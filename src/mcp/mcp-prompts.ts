/** A prompt, which a person chooses in their client. */
interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  text: (values: Readonly<Record<string, string>>) => string;
}

const project = { name: 'projectKey', description: 'Key of the project', required: true };

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'triage',
    title: 'Triage new issues',
    description: 'Sorts the open issues of a project that nobody is assigned to.',
    arguments: [project],
    text: ({ projectKey }) =>
      `Look at the open issues of the project ${projectKey} without an assignee (get_issues), the oldest first. For each, read it (get_issue), look for duplicates by keyword, and propose a type, a priority, a category and an assignee from get_project, with one sentence of reason. Show me the proposals in a table, and change nothing before I agree.`,
  },
  {
    name: 'standup',
    title: 'Prepare a standup',
    description: 'Summarises what happened in a project since yesterday.',
    arguments: [project],
    text: ({ projectKey }) =>
      `Summarise for a standup what happened in the project ${projectKey} since yesterday: issues that were updated (get_issues with updatedSince), what was closed, what is blocked or overdue, and open pull requests. Group it by person, in short sentences with issue keys, and finish with what I should look at first.`,
  },
  {
    name: 'review',
    title: 'Review a pull request',
    description: 'Reviews the changes of a pull request.',
    arguments: [
      project,
      { name: 'repoName', description: 'Name of the git repository', required: true },
      { name: 'number', description: 'Number of the pull request', required: true },
    ],
    text: ({ projectKey, repoName, number }) =>
      `Review the pull request ${number} of the repository ${repoName} in the project ${projectKey}: read it (get_pull_request), its issue if it has one, and its diff (get_pull_request_diff, all parts). Look for errors, missing tests and unclear code. List your findings with file and line, the most serious first, and ask me before you add them as a comment.`,
  },
];
