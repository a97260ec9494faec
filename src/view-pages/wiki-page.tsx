import { type JSX } from 'hono/jsx/jsx-runtime';
import { type WikiDto } from '../wikis/dto/wiki.dto';
import { Facts, Files, historyOf, namesOf, TextSection, ViewFrame } from './parts';
import { TEXTS } from './texts';
import { type View } from './view';

interface WikiPageProps {
  view: View;
  wiki: WikiDto;
  /** Its content as HTML. */
  content: string;
  /** The path from which the API sends its files. */
  files: string;
}

export const WikiPage = ({ view, wiki, content, files }: WikiPageProps): JSX.Element => {
  const texts = TEXTS[view.language];
  return (
    <ViewFrame {...view} title={wiki.name}>
      <Facts facts={[[texts.tags, namesOf(wiki.tags)], ...historyOf(texts, wiki)]} />
      <TextSection heading={texts.content} html={content} />
      <Files texts={texts} files={wiki.attachments} folder={files} />
    </ViewFrame>
  );
};
