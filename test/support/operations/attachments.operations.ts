import { CONTRIBUTORS, type OperationCases } from './operation-case';

export const attachmentOperations: OperationCases = {
  uploadAttachment: {
    right: CONTRIBUTORS,
    scope: 'space',
    body: () => {
      const form = new FormData();
      form.set('file', new Blob(['content']), 'file.txt');
      return form;
    },
  },
};
