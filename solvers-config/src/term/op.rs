//! The operations of terms.

/// An operation, named as SMT-LIB names it (see [`Op::symbol`]). All are binary unless
/// [`Op::arity`] says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the names are the documentation: each is the SMT-LIB operation
pub enum Op {
    // Core
    Not,
    And,
    Or,
    Xor,
    Implies,
    Eq,
    Distinct,
    Ite,
    // Integers
    Neg,
    Add,
    Sub,
    Mul,
    Lt,
    Le,
    Gt,
    Ge,
    // Bit-vectors: bitwise and arithmetic
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvNand,
    BvNor,
    BvXnor,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvSmod,
    BvShl,
    BvLshr,
    BvAshr,
    // Bit-vectors: structure
    Concat,
    Extract { high: u16, low: u16 },
    ZeroExtend(u16),
    SignExtend(u16),
    RotateLeft(u16),
    RotateRight(u16),
    Repeat(u16),
    // Bit-vectors: comparison
    BvComp,
    BvUlt,
    BvUle,
    BvUgt,
    BvUge,
    BvSlt,
    BvSle,
    BvSgt,
    BvSge,
    // Families of comparisons, which our own solver alone knows: see `orders.rs`
    Apart,
    Latest,
    Usual,
}

/// How many arguments an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arity {
    /// Exactly this many.
    Exactly(usize),
    /// This many or more.
    AtLeast(usize),
}

impl Arity {
    /// Whether `count` arguments are acceptable.
    pub fn accepts(self, count: usize) -> bool {
        match self {
            Arity::Exactly(wanted) => count == wanted,
            Arity::AtLeast(least) => count >= least,
        }
    }
}

impl std::fmt::Display for Arity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Arity::Exactly(1) => f.write_str("exactly 1 argument"),
            Arity::Exactly(count) => write!(f, "exactly {count} arguments"),
            Arity::AtLeast(count) => write!(f, "at least {count} arguments"),
        }
    }
}

impl Op {
    /// All operations that have no index, in order of declaration.
    pub const PLAIN: [Op; 45] = [
        Op::Not,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Implies,
        Op::Eq,
        Op::Distinct,
        Op::Ite,
        Op::Neg,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Lt,
        Op::Le,
        Op::Gt,
        Op::Ge,
        Op::BvNot,
        Op::BvNeg,
        Op::BvAnd,
        Op::BvOr,
        Op::BvXor,
        Op::BvNand,
        Op::BvNor,
        Op::BvXnor,
        Op::BvAdd,
        Op::BvSub,
        Op::BvMul,
        Op::BvUdiv,
        Op::BvUrem,
        Op::BvSdiv,
        Op::BvSrem,
        Op::BvSmod,
        Op::BvShl,
        Op::BvLshr,
        Op::BvAshr,
        Op::Concat,
        Op::BvComp,
        Op::BvUlt,
        Op::BvUle,
        Op::BvUgt,
        Op::BvUge,
        Op::BvSlt,
        Op::BvSle,
        Op::BvSgt,
        Op::BvSge,
    ];

    /// Operations that SMT-LIB does not have: families of comparisons, said as one.
    pub const FAMILIES: [Op; 3] = [Op::Apart, Op::Latest, Op::Usual];

    /// The SMT-LIB symbol, without indices. [`Op::Neg`] and [`Op::Sub`] share `-`.
    pub fn symbol(self) -> &'static str {
        match self {
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Implies => "=>",
            Op::Eq => "=",
            Op::Distinct => "distinct",
            Op::Ite => "ite",
            Op::Neg | Op::Sub => "-",
            Op::Add => "+",
            Op::Mul => "*",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::BvNot => "bvnot",
            Op::BvNeg => "bvneg",
            Op::BvAnd => "bvand",
            Op::BvOr => "bvor",
            Op::BvXor => "bvxor",
            Op::BvNand => "bvnand",
            Op::BvNor => "bvnor",
            Op::BvXnor => "bvxnor",
            Op::BvAdd => "bvadd",
            Op::BvSub => "bvsub",
            Op::BvMul => "bvmul",
            Op::BvUdiv => "bvudiv",
            Op::BvUrem => "bvurem",
            Op::BvSdiv => "bvsdiv",
            Op::BvSrem => "bvsrem",
            Op::BvSmod => "bvsmod",
            Op::BvShl => "bvshl",
            Op::BvLshr => "bvlshr",
            Op::BvAshr => "bvashr",
            Op::Concat => "concat",
            Op::Extract { .. } => "extract",
            Op::ZeroExtend(_) => "zero_extend",
            Op::SignExtend(_) => "sign_extend",
            Op::RotateLeft(_) => "rotate_left",
            Op::RotateRight(_) => "rotate_right",
            Op::Repeat(_) => "repeat",
            Op::BvComp => "bvcomp",
            Op::BvUlt => "bvult",
            Op::BvUle => "bvule",
            Op::BvUgt => "bvugt",
            Op::BvUge => "bvuge",
            Op::BvSlt => "bvslt",
            Op::BvSle => "bvsle",
            Op::BvSgt => "bvsgt",
            Op::BvSge => "bvsge",
            Op::Apart => "orders.apart",
            Op::Latest => "orders.latest",
            Op::Usual => "orders.usual",
        }
    }

    /// How many arguments the operation takes. Chains such as `(= a b c)` are not operations of
    /// their own: the reader of scripts writes them out.
    pub fn arity(self) -> Arity {
        match self {
            Op::Not | Op::Neg | Op::BvNot | Op::BvNeg => Arity::Exactly(1),
            Op::Extract { .. }
            | Op::ZeroExtend(_)
            | Op::SignExtend(_)
            | Op::RotateLeft(_)
            | Op::RotateRight(_)
            | Op::Repeat(_) => Arity::Exactly(1),
            Op::And | Op::Or | Op::Add | Op::Mul | Op::Distinct | Op::Latest => Arity::AtLeast(2),
            Op::Usual => Arity::AtLeast(1),
            Op::Apart => Arity::AtLeast(4),
            Op::Ite => Arity::Exactly(3),
            _ => Arity::Exactly(2),
        }
    }
}

impl std::fmt::Display for Op {
    /// The head of an application, as SMT-LIB writes it: `bvadd`, `(_ extract 7 0)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Op::Extract { high, low } => write!(f, "(_ extract {high} {low})"),
            Op::ZeroExtend(index)
            | Op::SignExtend(index)
            | Op::RotateLeft(index)
            | Op::RotateRight(index)
            | Op::Repeat(index) => write!(f, "(_ {} {index})", self.symbol()),
            _ => f.write_str(self.symbol()),
        }
    }
}
