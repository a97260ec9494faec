import { DEVELOPERS, type OperationCases, theWikiPage } from './operation-case';

export const wikiOperations: OperationCases = {
  attachFilesToWiki: {
    right: DEVELOPERS,
    scope: 'project',
    names: theWikiPage,
    body: async (world, person) => ({ attachmentId: [await world.addUpload(person)] }),
  },
};
