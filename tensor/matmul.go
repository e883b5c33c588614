package tensor

import (
	"fmt"

	"github.com/ehgnn/ehgnn/internal/kernel"
)

// gemmGrain is the smallest number of multiply-adds for which a second thread is faster.
const gemmGrain = 1 << 18

// MatMul is the matrix product x·y of x [m,k] and y [k,n].
func (x *Tensor) MatMul(y *Tensor) *Tensor { return matmul(x, y, false, false) }

// MatMulT is x·yᵀ of x [m,k] and y [n,k].
func (x *Tensor) MatMulT(y *Tensor) *Tensor { return matmul(x, y, false, true) }

// TMatMul is xᵀ·y of x [k,m] and y [k,n].
func (x *Tensor) TMatMul(y *Tensor) *Tensor { return matmul(x, y, true, false) }

// product returns the sizes of op(x)·op(y) for the last two axes.
func product(name string, x, y *Tensor, tx, ty bool) (m, n, k int) {
	rx, ry := x.shape.rank, y.shape.rank
	m, k = x.shape.dim[rx-2], x.shape.dim[rx-1]
	if tx {
		m, k = k, m
	}
	k2, n := y.shape.dim[ry-2], y.shape.dim[ry-1]
	if ty {
		k2, n = n, k2
	}
	if k != k2 {
		mismatch(name, fmt.Sprintf("equal inner sizes (found %d and %d)", k, k2), x, y)
	}
	return m, n, k
}

func matmul(x, y *Tensor, tx, ty bool) *Tensor {
	name := "MatMul"
	if tx {
		name = "TMatMul"
	} else if ty {
		name = "MatMulT"
	}
	x.matrix(name)
	y.matrix(name)
	m, n, k := product(name, x, y, tx, ty)
	if out := sparseProduct(x, y, tx, ty); out != nil {
		return out
	}
	if x.of != nil && !tx {
		return Repeat(matmul(x.of, y, false, ty), x.by)
	}
	out := tapeOf(x, y).alloc(shapeOf(m, n))
	gemm(out, kernel.Gemm{C: out.data, A: x.data, B: y.data, M: m, N: n, K: k, TransA: tx, TransB: ty})
	return opWith(out, matMulRule{transX: tx, transY: ty}, x, y)
}

type matMulRule struct{ transX, transY bool }

func (r *matMulRule) grad(b *back) {
	if b.Need(0) {
		setProduct(b, b.G, r.transX, r.transY)
	}
	if b.Need(1) {
		b.Set(1, rightGrad(b.G, b.In[0], r.transX, r.transY, matmul))
	}
}

// setProduct sets the gradient of operand 0 of op(x)·op(y), given the gradient g of the product. If
// Into allows it, the product is added to the gradient in place: operand 0 has the rows of a batch,
// and adding a separate product would read and write them once more.
func setProduct(b *back, g *Tensor, tx, ty bool) {
	y := b.In[1]
	into := b.Into(0)
	if into == nil || tx || y.SparseEntries() >= 0 || g.SparseEntries() >= 0 {
		b.Set(0, leftGrad(g, y, tx, ty, matmul))
		return
	}
	m, n, k := product("MatMul", g, y, false, !ty)
	gemm(into, kernel.Gemm{C: into.data, A: g.data, B: y.data, M: m, N: n, K: k, TransB: !ty, Acc: true})
}

// leftGrad and rightGrad are the gradients of op(x)·op(y) by x and by y, for any product mul with
// the conventions of matmul.
func leftGrad(g, y *Tensor, tx, ty bool, mul func(a, b *Tensor, ta, tb bool) *Tensor) *Tensor {
	if tx {
		return mul(y, g, ty, true)
	}
	return mul(g, y, false, !ty)
}

func rightGrad(g, x *Tensor, tx, ty bool, mul func(a, b *Tensor, ta, tb bool) *Tensor) *Tensor {
	if ty {
		return mul(g, x, true, tx)
	}
	return mul(x, g, !tx, false)
}

func gemm(out *Tensor, g kernel.Gemm) {
	l := loopOf(out)
	l.gemm = g
	l.do = func(l *loop, lo, hi int) { l.gemm.Rows(lo, hi) }
	poolOf(out).Tiles(g.M, kernel.GemmTile, gemmGrain/max(g.N*g.K, 1)+1, l.body)
}

// columnTotals is the gradient of a bias, of shape s, that was added to every row.
func columnTotals(d *Tensor, s shape) *Tensor {
	n := s.size()
	rows := 0
	if n > 0 {
		rows = len(d.data) / n
	}
	return d.reshapeTo(shapeOf(rows, n)).sumTo(shapeOf(n)).reshapeTo(s)
}

// BatchMatMul multiplies the matrices of two batches: x [b,m,k] and y [b,k,n] give [b,m,n]. With tx
// the matrices of x are transposed, [b,k,m]. With ty the matrices of y are, [b,n,k].
func BatchMatMul(x, y *Tensor, tx, ty bool) *Tensor {
	if x.shape.rank != 3 || y.shape.rank != 3 || x.shape.dim[0] != y.shape.dim[0] {
		mismatch("BatchMatMul", "two batches of as many matrices", x, y)
	}
	m, n, k := product("BatchMatMul", x, y, tx, ty)
	batch := x.shape.dim[0]
	out := tapeOf(x, y).alloc(shapeOf(batch, m, n))
	poolOf(out).Rows(batch, gemmGrain/max(m*n*k, 1)+1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			g := kernel.Gemm{C: out.data[i*m*n : (i+1)*m*n], A: x.data[i*m*k : (i+1)*m*k], B: y.data[i*k*n : (i+1)*k*n],
				M: m, N: n, K: k, TransA: tx, TransB: ty}
			g.Rows(0, m)
		}
	})
	return opWith(out, batchMatMulRule{transX: tx, transY: ty}, x, y)
}

type batchMatMulRule struct{ transX, transY bool }

func (r *batchMatMulRule) grad(b *back) {
	if b.Need(0) {
		b.Set(0, leftGrad(b.G, b.In[1], r.transX, r.transY, BatchMatMul))
	}
	if b.Need(1) {
		b.Set(1, rightGrad(b.G, b.In[0], r.transX, r.transY, BatchMatMul))
	}
}

// AffineConfig holds the options of Affine.
type AffineConfig struct {
	// TransW says that the weight is stored as [out,in], like in PyTorch's Linear, and not as
	// [in,out].
	TransW bool
	// ReLU is applied to the result in the same pass.
	ReLU bool
}

// Affine is x·w + bias in one pass over the result, followed by ReLU if c.ReLU is set. x is [n,in],
// w is [in,out] or [out,in], bias is [out] or nil, and the result is [n,out].
func Affine(x, w, bias *Tensor, c AffineConfig) *Tensor {
	x.matrix("Affine")
	w.matrix("Affine")
	m, n, k := product("Affine", x, w, false, c.TransW)
	if x.of != nil {
		return Repeat(Affine(x.of, w, bias, c), x.by)
	}
	if a, weights := x.sparseForm(); a != nil {
		if bias != nil && bias.Size() != n {
			mismatch("Affine", fmt.Sprintf("a bias of %d elements", n), x, w, bias)
		}
		if c.TransW {
			w = w.Transpose()
		}
		return SpMM(a, w, SpMMConfig{W: weights, Bias: bias, ReLU: c.ReLU})
	}
	g := kernel.Gemm{A: x.data, B: w.data, M: m, N: n, K: k, TransB: c.TransW, ReLU: c.ReLU}
	if bias != nil {
		if bias.Size() != n {
			mismatch("Affine", fmt.Sprintf("a bias of %d elements", n), x, w, bias)
		}
		g.Bias = bias.data
	}
	out := tapeOf(x, w, bias).alloc(shapeOf(m, n))
	g.C = out.data
	gemm(out, g)
	return opWith(out, affineRule{c}, x, w, bias)
}

type affineRule struct{ AffineConfig }

func (r *affineRule) grad(b *back) {
	d := b.G
	if r.ReLU {
		d = reluGrad(d, b.Out)
	}
	if b.Need(0) {
		setProduct(b, d, false, r.TransW)
	}
	if b.Need(1) {
		b.Set(1, rightGrad(d, b.In[0], false, r.TransW, matmul))
	}
	if b.Need(2) {
		b.Set(2, columnTotals(d, b.In[2].shape))
	}
}
