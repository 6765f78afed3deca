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
        let is_fraction = |Token(digits, token): &Token<&str>| {
            matches!(token, Tok::Num) && !digits.contains('.') && text.as_bytes().as_ptr_range().end == digits.as_ptr()
        };
        let fraction = if text == "." { tokens.next_if(is_fraction) } else { None };
        if let Some(Token(digits, token)) = fraction {
            out.push(Token(arena.alloc(format!("0.{digits}")), token));
            continue;
        }
        if matches!(token, Tok::Num) && text.len() > 15 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push(Token(arena.alloc(format!("{text}e0")), token));
            continue;
        }
        if matches!((text, &token), ("reduce" | "foreach", Tok::Word)) {
            out.push(Token(text, token));
            out.extend(source(&mut tokens, open, arena));
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

type Tokens<'s> = std::iter::Peekable<std::vec::IntoIter<Token<&'s str>>>;

/// Takes what a fold goes over from the tokens before `as`; the parser wants it as a group where it has operators.
fn source<'s>(tokens: &mut Tokens<'s>, open: &str, arena: &'s Arena) -> Vec<Token<&'s str>> {
    let (mut source, mut folds) = (Vec::new(), 0_u32);
    while let Some(token) = tokens.next_if(|token| token.0 != "as" || folds > 0) {
        match token.0 {
            "reduce" | "foreach" => folds += 1,
            "as" => folds -= 1,
            _ => {}
        }
        source.push(token);
    }
    let operates = |token: &Token<&str>| {
        matches!(token, Token("+" | "-" | "*" | "/" | "%" | "//" | "==" | "!=" | "<" | "<=" | ">" | ">=", Tok::Sym))
    };
    // What comes after a fold within belongs to it.
    if tokens.peek().is_none() || !source.iter().any(operates) {
        return prepared(source, open, arena);
    }
    let mut inner = prepared(source, "(", arena);
    inner.push(Token(")", Tok::Sym));
    vec![Token(GROUP, Tok::Word), Token("(", Tok::Block(inner))]
}

/// Tokens of a pattern with `{$name: P}` written as `{$name, name: P}`.
fn pattern(tokens: Vec<Token<&str>>) -> Vec<Token<&str>> {
    let (mut out, mut tokens) = (Vec::with_capacity(tokens.len()), tokens.into_iter().peekable());
    while let Some(Token(text, token)) = tokens.next() {
        let token = match token {
            Tok::Block(inner) if !text.starts_with('(') => Tok::Block(pattern(inner)),
            other => other,
        };
        let both = matches!(token, Tok::Var) && matches!(tokens.peek(), Some(Token(":", _)));
        out.push(Token(text, token));
        if both {
            out.extend([Token(",", Tok::Sym), Token(&text[1..], Tok::Word)]);
        }
    }
    out
}

/// Takes `P ?// Q ?// R` from the tokens after `as`, and gives `[$__alternatives__, P, Q, R]`.
fn alternatives<'s>(tokens: &mut Tokens<'s>, out: &mut Vec<Token<&'s str>>, arena: &'s Arena) {
    let prepare = |Token(text, token): Token<&'s str>| match token {
        Tok::Block(inner) => Token(text, Tok::Block(prepared(pattern(inner), &text[..1], arena))),
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
