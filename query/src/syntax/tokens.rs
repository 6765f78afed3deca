//! Tokens before they are parsed: what jaq's parser does not know is written so that it keeps it.

use jaq_core::load::Arena;
use jaq_core::load::lex::{StrPart, Tok, Token};

use super::{ALTERNATIVES, GROUP};

/// Tokens with `?//` and groups written so that the parser keeps them.
pub(super) fn prepared<'s>(tokens: Vec<Token<&'s str>>, open: &str, arena: &'s Arena) -> Vec<Token<&'s str>> {
    let mut out: Vec<Token<&'s str>> = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(Token(text, token)) = tokens.next() {
        let token = match token {
            Tok::Block(inner) => Tok::Block(prepared(inner, &text[..1], arena)),
            Tok::Str(parts) => Tok::Str(parts.into_iter().map(|part| prepared_part(part, arena)).collect()),
            other => other,
        };
        // jq takes `.5`; and its numbers keep all of their digits, which the interpreter's own integers would not.
        let fraction = if text == "." { tokens.next_if(|next| matches!(next.1, Tok::Num)) } else { None };
        if let Some(Token(digits, token)) = fraction {
            out.push(Token(arena.alloc(format!("0.{digits}")), token));
            continue;
        }
        if matches!(token, Tok::Num) && text.len() > 15 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push(Token(arena.alloc(format!("{text}e0")), token));
            continue;
        }
        let key = open == "{" && matches!(tokens.peek(), Some(Token(":", _)));
        if text.starts_with('(') && matches!(token, Tok::Block(_)) && !key && begins_term(out.last()) {
            out.push(Token(GROUP, Tok::Word));
        }
        out.push(Token(text, token));
        if text == "as" {
            alternatives(&mut tokens, &mut out, arena);
        }
    }
    out
}

fn prepared_part<'s>(part: StrPart<&'s str, Token<&'s str>>, arena: &'s Arena) -> StrPart<&'s str, Token<&'s str>> {
    match part {
        StrPart::Term(Token(text, Tok::Block(inner))) => {
            StrPart::Term(Token(text, Tok::Block(prepared(inner, "(", arena))))
        }
        other => other,
    }
}

/// True when a parenthesis after this token is a group, not the arguments of a call or of a fold.
fn begins_term(before: Option<&Token<&str>>) -> bool {
    match before {
        None | Some(Token(_, Tok::Sym)) => !matches!(before, Some(Token("?", _))),
        Some(Token(word, Tok::Word)) => {
            matches!(*word, "if" | "then" | "elif" | "else" | "and" | "or" | "try" | "catch" | "reduce" | "foreach")
        }
        Some(_) => false,
    }
}

/// Takes `P ?// Q ?// R` from the tokens after `as`, and gives `[$__alternatives__, P, Q, R]`.
fn alternatives<'s>(
    tokens: &mut std::iter::Peekable<std::vec::IntoIter<Token<&'s str>>>,
    out: &mut Vec<Token<&'s str>>,
    arena: &'s Arena,
) {
    let prepare = |Token(text, token): Token<&'s str>| match token {
        Tok::Block(inner) => Token(text, Tok::Block(prepared(inner, &text[..1], arena))),
        other => Token(text, other),
    };
    let Some(first) = tokens.next() else { return };
    let mut patterns = vec![prepare(first)];
    while matches!(tokens.peek(), Some(Token("?", _))) {
        let question = tokens.next();
        if !matches!(tokens.peek(), Some(Token("//", _))) {
            out.extend(patterns);
            out.extend(question);
            return;
        }
        tokens.next();
        patterns.extend(tokens.next().map(prepare));
    }
    if patterns.len() == 1 {
        out.extend(patterns);
        return;
    }
    let mut inner = vec![Token(ALTERNATIVES, Tok::Var)];
    for pattern in patterns {
        inner.push(Token(",", Tok::Sym));
        inner.push(pattern);
    }
    inner.push(Token("]", Tok::Sym));
    out.push(Token("[", Tok::Block(inner)));
}
