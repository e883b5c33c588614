package tensor

// Repeat is Gather for an index that repeats the rows of x many times. The result keeps x and ix:
// MatMul, MatMulT and Affine multiply the rows of x and repeat the products, with the same bits,
// and gradients are summed over equal rows before they are multiplied. It is meant for embeddings
// of categories: most atoms and bonds in a batch of molecules have the same features as others.
func Repeat(x *Tensor, ix *Index) *Tensor {
	x.checkIndex("Repeat", ix.n, "slots of the index")
	out := Gather(x, ix)
	out.of, out.by = x, ix
	return out
}

// Repeated returns the operands of the Repeat that made x. They are nil for any other tensor.
func (x *Tensor) Repeated() (rows *Tensor, ix *Index) { return x.of, x.by }
