//! Words that a program's name must not become: reserved words of SMT-LIB, and symbols to which one
//! of the solvers gives a meaning of its own in some logic.
//!
//! Found by asking: each word that occurs in the executables of z3 (4.8 and 5.4), cvc5, Yices,
//! Bitwuzla and Boolector was declared as a constant in each logic the solver has, and those that
//! any of them refused are listed, besides the words of the standard itself.

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Whether the word has a meaning of its own.
pub(super) fn is_reserved(name: &str) -> bool {
    static SET: LazyLock<FxHashSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
    SET.contains(name)
}

const WORDS: &str = "
! !partial_eq * + +oo +zero - -oo -zero / < <= = => > >= ABV ALL ALL_SUPPORTED AUFLIA AUFLIRA
AUFNIRA Array BINARY BV BitVec Bool DECIMAL Float128 Float16 Float32 Float64 HEXADECIMAL Int LRA
NUMERAL NaN QF_ABV QF_AUFBV QF_AUFLIA QF_AX QF_BV QF_IDL QF_LIA QF_LRA QF_NIA QF_NRA QF_RDL
QF_UF QF_UFBV QF_UFIDL QF_UFLIA QF_UFLRA QF_UFNRA RNA RNE RTN RTP RTZ Real RegLan RoundingMode
STRING String UFBV UFLRA UFNIA ^ _ abs and arccos arccot arccsc arcsec arcsin arctan as assert
assert-soft bag bag.card bag.choose bag.count bag.difference_remove bag.difference_subtract
bag.duplicate_removal bag.empty bag.filter bag.fold bag.from_set bag.inter_min bag.is_singleton
bag.map bag.member bag.partition bag.subbag bag.to_set bag.union_disjoint bag.union_max
block-model block-model-values bv2int bv2nat bvadd bvand bvashr bvcomp bvdec bvinc bvlshr bvmul
bvnand bvneg bvnego bvnor bvnot bvor bvredand bvredor bvredxor bvrol bvror bvsaddo bvsdiv
bvsdivo bvsge bvsgt bvshl bvsle bvslt bvsmod bvsmul_noovfl bvsmul_noudfl bvsmulo bvsrem bvssubo
bvsub bvuaddo bvudiv bvuge bvugt bvule bvult bvumul_noovfl bvumulo bvurem bvusubo bvxnor bvxor
char check-sat check-sat-assuming check-sat-assuming-model check-sat-using choice concat const
cos cot csc declare-const declare-datatype declare-datatypes declare-fun declare-heap
declare-pool declare-sort define-const define-fun define-fun-rec define-funs-rec define-sort
distinct div divisible echo eqrange error eval exists exit exp ext_rotate_left ext_rotate_right
extract false forall fp fp.abs fp.add fp.div fp.eq fp.fma fp.geq fp.gt fp.isInfinite fp.isNaN
fp.isNegative fp.isNormal fp.isPositive fp.isSubnormal fp.isZero fp.leq fp.lt fp.max fp.min
fp.mul fp.neg fp.rem fp.roundToIntegral fp.sqrt fp.sub fp.to_real fp.to_sbv fp.to_ubv get-abduct
get-abduct-next get-assertions get-assignment get-difficulty get-info get-interpolant
get-interpolant-next get-learned-literals get-model get-objectives get-option get-proof get-qe
get-qe-disjunct get-unsat-assumptions get-unsat-core get-unsat-model-interpolant get-value if
iff implies include int.pow2 int2bv int_to_bv is is_int ite labels lambda let match maximize
minimize mod model nat2bv not or par pop pto push re.* re.+ re.++ re.all re.allchar re.comp
re.diff re.inter re.none re.opt re.range re.union real.pi rel.aggr rel.group rel.iden rel.join
rel.join_image rel.product rel.project rel.tclosure rel.transpose repeat reset reset-assertions
rotate_left rotate_right roundNearestTiesToAway roundNearestTiesToEven roundTowardNegative
roundTowardPositive roundTowardZero sat sbv_to_int sec select sep sep.emp sep.nil seq.++ seq.at
seq.contains seq.empty seq.extract seq.indexof seq.len seq.nth seq.prefixof seq.replace
seq.replace_all seq.rev seq.suffixof seq.unit seq.update set-info set-logic set-option set.card
set.choose set.complement set.comprehension set.empty set.filter set.fold set.insert set.inter
set.is_singleton set.map set.member set.minus set.singleton set.subset set.union set.universe
sign_extend simplify sin sqrt store str.++ str.< str.<= str.at str.contains str.from_code
str.from_int str.in_re str.indexof str.indexof_re str.is_digit str.len str.prefixof str.replace
str.replace_all str.replace_re str.replace_re_all str.rev str.substr str.suffixof str.to_code
str.to_int str.to_lower str.to_re str.to_upper str.update success table.aggr table.group
table.join table.product table.project tan to_fp to_fp_unsigned to_int to_real true tuple
tuple.project ubv_to_int unknown unsat unsupported update wand xor zero_extend
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Op;

    #[test]
    fn every_operation_is_reserved() {
        for op in Op::PLAIN {
            assert!(is_reserved(op.symbol()), "{op}");
        }
        for word in ["extract", "repeat", "let", "assert-soft", "BitVec", "_", "!"] {
            assert!(is_reserved(word), "{word}");
        }
        for word in ["x", "main", "", "bvx", "o"] {
            assert!(!is_reserved(word), "{word}");
        }
    }
}
