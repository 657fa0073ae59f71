import { describe, expect, it } from 'vitest';
import { StepLog } from '../log.ts';

function logOf(...lines: string[]): StepLog {
  const log = new StepLog();
  for (const line of lines) log.add('stdout', line);
  return log;
}

describe('workflow commands', () => {
  it('reads annotations with their escapes', () => {
    const log = logOf(
      '::error file=a.ts,title=Bad%3A name%2C really::one%0Atwo %25',
      '  ::warning::careful',
      '::notice::',
    );
    expect(log.annotations).toEqual({ error: ['one\ntwo %'], warning: ['careful'], notice: [''] });
  });

  it('refuses what sets values, in old forms too and in the middle of a line, and reads nothing between stop-commands and its token', () => {
    const log = logOf(
      ...['title: ##[set-output name=branch_id;]evil', '::save-state name=b::2', '::set-env name=c::3'],
      ...['::stop-commands::t0ken', '::error::no', '##[error]no', '::T0KEN::', '::t0ken::', '##[error]yes'],
    );
    expect(log.faults).toEqual(['set-output', 'save-state', 'set-env'].map((name) => expect.stringContaining(name)));
    expect(log.annotations.error).toEqual(['yes']);
  });
});

describe('masks', () => {
  it('hide a value only after they were registered', () => {
    const log = logOf('s3cret', '::add-mask::s3cret', 'a s3cret, s3crets3cret', '::error::s3cret');
    expect(log.masked()).toEqual(['s3cret', 'a ***, ***', '##[error]***']);
  });

  it('hide each line of a value, and its encoded forms', () => {
    const log = logOf('::add-mask::p@ss "word"%0Asecond line', 'second line', 'p%40ss%20%22word%22', 'p@ss \\"word\\"');
    expect(log.masked()).toEqual(['***', '***', '***']);
  });
});

describe('leaks', () => {
  const secret = 'p@ss/"wörd"%';
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];

  it.each(forms)('finds %s unmasked', (form) => {
    expect(logOf(`value: ${form}`).leaks([secret])).toHaveLength(1);
    expect(logOf(`::debug::${form.replaceAll('%', '%25')}`).leaks([secret])).not.toEqual([]);
  });

  it.each(forms)('finds %s in an annotation and on stderr even if it is masked', (form) => {
    const log = logOf(`::add-mask::${form.replaceAll('%', '%25')}`, `::error::${form.replaceAll('%', '%25')}`);
    expect(log.leaks([secret]).map((leak) => leak.where)).toContain('annotation (error)');
    log.add('stderr', form);
    expect(log.leaks([secret]).map((leak) => leak.where)).toContain('stderr');
  });

  it('finds a secret of which only another form is masked', () => {
    const log = logOf('::add-mask::p@ss/"wörd"%25', encodeURIComponent(secret));
    expect(log.leaks([secret])).toHaveLength(1);
  });
});
