//! Mathematics: C's functions by their names, from `libm`, so that every machine computes the same.

use super::{Reads, Row, native};
use crate::json::Type;
use crate::value::{Result, Value, unfit};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = rounding();
    rows.extend(one());
    rows.extend(two());
    rows.extend([
        native!("infinite", |_| Ok(Value::from(f64::INFINITY))).reads(Reads::Nothing),
        native!("nan", |_| Ok(Value::from(f64::NAN))).reads(Reads::Nothing),
        native!("isinfinite", |value: Value| number(&value).map(|number| Value::from(number.is_infinite()))),
        native!("isnan", |value: Value| number(&value).map(|number| Value::from(number.is_nan()))),
        native!("isnormal", |value: Value| number(&value).map(|number| Value::from(number.is_normal()))),
        native!("frexp", |value: Value| {
            let (mantissa, exponent) = libm::frexp(number(&value)?);
            Ok(Value::array(vec![Value::from(mantissa), Value::from(f64::from(exponent))]))
        }),
        native!("modf", |value: Value| {
            let (fraction, whole) = libm::modf(number(&value)?);
            Ok(Value::array(vec![Value::from(fraction), Value::from(whole)]))
        }),
        native!("lgamma_r", |value: Value| {
            let (logarithm, sign) = libm::lgamma_r(number(&value)?);
            Ok(Value::array(vec![Value::from(logarithm), Value::from(f64::from(sign))]))
        }),
        native!("logb", |value: Value| number(&value).map(|number| Value::from(logb(number)))),
        native!("significand", |value: Value| {
            let number = number(&value)?;
            let plain = number == 0.0 || !number.is_finite();
            Ok(Value::from(if plain { number } else { libm::scalbn(number, -libm::ilogb(number)) }))
        }),
        super::run(("fma", super::v(3), |mut cv| {
            let [a, b, c] = super::arguments(&mut cv);
            let result = number(&a).and_then(|a| Ok(Value::from(libm::fma(a, number(&b)?, number(&c)?))));
            super::bome(result)
        }))
        .one(),
    ]);
    rows
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().map_or_else(|| unfit(value, Type::Number, "number required"), Ok)
}

fn logb(number: f64) -> f64 {
    match number {
        _ if number == 0.0 => f64::NEG_INFINITY,
        _ if number.is_infinite() => f64::INFINITY,
        _ if number.is_nan() => number,
        _ => f64::from(libm::ilogb(number)),
    }
}

/// Functions of the input.
macro_rules! of_input {
    ($($name:literal $function:expr;)*) => {
        vec![$(native!($name, |value: Value| number(&value).map(|x| Value::from($function(x))))),*]
    };
}

/// Functions of two arguments.
macro_rules! of_two {
    ($($name:literal $function:expr;)*) => {
        vec![$(native!($name, 2, |_, a: Value, b: Value| Ok(Value::from($function(number(&a)?, number(&b)?))))),*]
    };
}

fn rounding() -> Vec<Row> {
    let mut rows = of_input! {
        "floor" f64::floor;
        "ceil" f64::ceil;
        "trunc" f64::trunc;
        "rint" libm::rint;
        "nearbyint" libm::rint;
        "fabs" f64::abs;
        "sqrt" f64::sqrt;
    };
    let round = native!("round", |value: Value| number(&value).map(|x| Value::from(x.round())));
    rows.push(round.hint("`round` takes no argument: for two digits write `. * 100 | round / 100`"));
    rows
}

fn one() -> Vec<Row> {
    of_input! {
        "acos" libm::acos;
        "acosh" libm::acosh;
        "asin" libm::asin;
        "asinh" libm::asinh;
        "atan" libm::atan;
        "atanh" libm::atanh;
        "cbrt" libm::cbrt;
        "cos" libm::cos;
        "cosh" libm::cosh;
        "exp" libm::exp;
        "exp10" libm::exp10;
        "exp2" libm::exp2;
        "expm1" libm::expm1;
        "gamma" libm::lgamma;
        "j0" libm::j0;
        "j1" libm::j1;
        "lgamma" libm::lgamma;
        "log" libm::log;
        "log10" libm::log10;
        "log1p" libm::log1p;
        "log2" libm::log2;
        "pow10" libm::exp10;
        "sin" libm::sin;
        "sinh" libm::sinh;
        "tan" libm::tan;
        "tanh" libm::tanh;
        "tgamma" libm::tgamma;
        "y0" libm::y0;
        "y1" libm::y1;
    }
}

fn two() -> Vec<Row> {
    of_two! {
        "atan2" libm::atan2;
        "copysign" libm::copysign;
        "drem" libm::remainder;
        "fdim" libm::fdim;
        "fmax" libm::fmax;
        "fmin" libm::fmin;
        "fmod" libm::fmod;
        "hypot" libm::hypot;
        "jn" |n, x| libm::jn(n as i32, x);
        "ldexp" |x, n| libm::scalbn(x, n as i32);
        "nextafter" libm::nextafter;
        "nexttoward" libm::nextafter;
        "pow" libm::pow;
        "remainder" libm::remainder;
        "scalb" |x, n| libm::scalbn(x, n as i32);
        "scalbln" |x, n| libm::scalbn(x, n as i32);
        "yn" |n, x| libm::yn(n as i32, x);
    }
}
