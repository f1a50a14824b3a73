//! The table of nodes, with equal nodes stored once.

use rustc_hash::FxHashMap;

use super::node::{BinaryOp, Node, Sort, UnaryOp, Width};
use super::table::mask;
use crate::ids::ExprId;

/// A node that does not make sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExprError {
    /// A reference to a node that is not before this one.
    #[error("expression e{of} refers to e{operand}, which is not before it")]
    Forward {
        /// The node.
        of: u32,
        /// What it refers to.
        operand: u32,
    },
    /// A width of 0 or above 128.
    #[error("a bit-vector of {0} bits; 1 to 128 are possible")]
    Width(u32),
    /// A constant with bits above its width.
    #[error("the constant {value} does not fit {width} bits")]
    Constant {
        /// The value.
        value: u128,
        /// The width it was given.
        width: Width,
    },
    /// An operand of the wrong sort.
    #[error("{operation} cannot take {found}{hint}")]
    Operand {
        /// The operation.
        operation: String,
        /// The sort of the operand.
        found: Sort,
        /// What it wanted instead.
        hint: String,
    },
    /// Bits taken from beyond the operand.
    #[error("bits {low} to {high} cannot be taken from {width} bits")]
    Extract {
        /// Highest bit.
        high: Width,
        /// Lowest bit.
        low: Width,
        /// Width of the operand.
        width: Width,
    },
    /// The table has no room for another node.
    #[error("more than {} expressions", u32::MAX)]
    TooMany,
}

/// All expressions of a trace. Nodes refer only to earlier nodes, so the graph has no cycles.
#[derive(Clone, Debug, Default)]
pub struct ExprPool {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    ids: FxHashMap<Node, ExprId>,
    /// How many simplification rules are under way, one inside the other.
    pub(super) rule_depth: u32,
}

impl PartialEq for ExprPool {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl Eq for ExprPool {}

impl ExprPool {
    /// No expressions yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is it empty?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes; the index is the id.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node, if there is one of this id.
    pub fn get(&self, id: ExprId) -> Option<Node> {
        self.nodes.get(id.index()).copied()
    }

    /// The node of an id that this table gave out.
    ///
    /// # Panics
    /// If the id is of another table; check ids from outside with [`get`](Self::get).
    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id.index()]
    }

    /// The sort of a node that this table gave out.
    ///
    /// # Panics
    /// As [`node`](Self::node).
    pub fn sort(&self, id: ExprId) -> Sort {
        self.sorts[id.index()]
    }

    /// The width of a bit-vector node, 1 for a Boolean.
    pub fn width(&self, id: ExprId) -> Width {
        match self.sort(id) {
            Sort::Bool => 1,
            Sort::Bits(width) => width,
        }
    }

    /// The node's id: that of an equal node if there is one, else a new one. Nothing is simplified.
    pub fn intern(&mut self, node: Node) -> Result<ExprId, ExprError> {
        match self.ids.get(&node) {
            Some(&id) => Ok(id),
            None => self.push(node),
        }
    }

    /// Adds the node at the next id even if there is an equal one: for readers of files, whose ids are positions.
    pub fn push(&mut self, node: Node) -> Result<ExprId, ExprError> {
        let sort = self.check(node)?;
        if self.nodes.len() >= u32::MAX as usize {
            return Err(ExprError::TooMany);
        }
        let id = ExprId::from(self.nodes.len());
        self.nodes.push(node);
        self.sorts.push(sort);
        self.ids.entry(node).or_insert(id);
        Ok(id)
    }

    /// Calls `visit` once for every node below and including `roots`, operands first.
    pub fn visit_once(&self, roots: impl IntoIterator<Item = ExprId>, mut visit: impl FnMut(ExprId, Node)) {
        let mut seen = vec![false; self.len()];
        let mut stack: Vec<(ExprId, bool)> = roots.into_iter().map(|root| (root, false)).collect();
        stack.reverse();
        while let Some((id, operands_done)) = stack.pop() {
            if operands_done {
                visit(id, self.node(id));
            } else if !std::mem::replace(&mut seen[id.index()], true) {
                stack.push((id, true));
                let from = stack.len();
                stack.extend(self.node(id).operands().map(|operand| (operand, false)));
                stack[from..].reverse();
            }
        }
    }

    pub(super) fn check(&self, node: Node) -> Result<Sort, ExprError> {
        for operand in node.operands() {
            if operand.index() >= self.nodes.len() {
                return Err(ExprError::Forward { of: ExprId::from(self.nodes.len()).0, operand: operand.0 });
            }
        }
        match node {
            Node::Bool(_) => Ok(Sort::Bool),
            Node::Const { width, value } => {
                let sort = bits(width.into())?;
                if value & !mask(width) != 0 {
                    return Err(ExprError::Constant { value, width });
                }
                Ok(sort)
            }
            Node::Input { width, .. } | Node::Read { width, .. } => bits(width.into()),
            Node::Unary(UnaryOp::Not, a) => self.want(node, a, Sort::Bool),
            Node::Unary(UnaryOp::BvNot | UnaryOp::Neg, a) => self.want_bits(node, a).map(Sort::Bits),
            Node::Binary(op, a, b) => self.check_binary(node, op, a, b),
            Node::Extract { high, low, of } => {
                let width = self.want_bits(node, of)?;
                if low > high || high >= width {
                    return Err(ExprError::Extract { high, low, width });
                }
                Ok(Sort::Bits(high - low + 1))
            }
            Node::ZeroExtend { width, of } | Node::SignExtend { width, of } => {
                let from = self.want_bits(node, of)?;
                if width < from {
                    let hint = format!("; it would have to shrink to {width} bits");
                    return Err(operand_error(node, Sort::Bits(from), hint));
                }
                bits(width.into())
            }
            Node::Ite { condition, then, otherwise } => {
                self.want(node, condition, Sort::Bool)?;
                self.want(node, otherwise, self.sort(then))
            }
        }
    }

    fn check_binary(&self, node: Node, op: BinaryOp, a: ExprId, b: ExprId) -> Result<Sort, ExprError> {
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                self.want(node, a, Sort::Bool)?;
                self.want(node, b, Sort::Bool)
            }
            BinaryOp::Eq => self.want(node, b, self.sort(a)).map(|_| Sort::Bool),
            BinaryOp::Ult | BinaryOp::Ule | BinaryOp::Slt | BinaryOp::Sle => {
                let width = self.want_bits(node, a)?;
                self.want(node, b, Sort::Bits(width)).map(|_| Sort::Bool)
            }
            BinaryOp::Concat => {
                let sum = u32::from(self.want_bits(node, a)?) + u32::from(self.want_bits(node, b)?);
                bits(sum)
            }
            _ => {
                let width = self.want_bits(node, a)?;
                self.want(node, b, Sort::Bits(width))
            }
        }
    }

    fn want(&self, node: Node, operand: ExprId, sort: Sort) -> Result<Sort, ExprError> {
        let found = self.sort(operand);
        if found == sort {
            Ok(sort)
        } else {
            Err(operand_error(node, found, format!(" where it needs {sort}")))
        }
    }

    fn want_bits(&self, node: Node, operand: ExprId) -> Result<Width, ExprError> {
        match self.sort(operand) {
            Sort::Bits(width) => Ok(width),
            Sort::Bool => Err(operand_error(node, Sort::Bool, " where it needs a bit-vector".to_owned())),
        }
    }
}

fn bits(width: u32) -> Result<Sort, ExprError> {
    match Width::try_from(width) {
        Ok(width @ 1..=Sort::MAX_WIDTH) => Ok(Sort::Bits(width)),
        _ => Err(ExprError::Width(width)),
    }
}

fn operand_error(node: Node, found: Sort, hint: String) -> ExprError {
    let operation = match node {
        Node::Unary(op, _) => format!("{op:?}"),
        Node::Binary(op, ..) => format!("{op:?}"),
        Node::Extract { .. } => "Extract".to_owned(),
        Node::ZeroExtend { .. } => "ZeroExtend".to_owned(),
        Node::SignExtend { .. } => "SignExtend".to_owned(),
        _ => "Ite".to_owned(),
    };
    ExprError::Operand { operation, found, hint }
}
