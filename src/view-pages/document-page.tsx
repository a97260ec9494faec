import { type JSX } from 'hono/jsx/jsx-runtime';
import { DocumentStatus } from '../documents/document-status';
import { type DocumentDto } from '../documents/dto/document.dto';
import { Facts, Files, historyOf, namesOf, TextSection, ViewFrame } from './parts';
import { TEXTS } from './texts';
import { type View } from './view';

interface DocumentPageProps {
  view: View;
  document: DocumentDto;
  /** Its content as HTML. */
  content: string;
  /** The path from which the API sends its files. */
  files: string;
}

export const DocumentPage = ({ view, document, content, files }: DocumentPageProps): JSX.Element => {
  const texts = TEXTS[view.language];
  const { emoji, title } = document;
  return (
    <ViewFrame {...view} title={emoji === null ? title : `${emoji} ${title}`}>
      {document.statusId === (DocumentStatus.Trashed as number) && <p class="note">{texts.inTrash}</p>}
      <Facts facts={[[texts.tags, namesOf(document.tags)], ...historyOf(texts, document)]} />
      <TextSection heading={texts.content} html={content} />
      <Files texts={texts} files={document.attachments} folder={files} />
    </ViewFrame>
  );
};
