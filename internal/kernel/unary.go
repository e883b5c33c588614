package kernel

// UnaryOp names an element-wise function; some have parameters a and b.
type UnaryOp uint8

// The unary operations.
const (
	Neg       UnaryOp = iota // -x
	Abs                      // |x|
	Sign                     // -1, 0 or 1; NaN for NaN
	Square                   // x²
	Sqrt                     // √x
	Exp                      // e^x
	Log                      // ln x
	Sigmoid                  // 1/(1+e^-x)
	Tanh                     // tanh x
	Softplus                 // ln(1+e^x), without overflow
	ReLU                     // max(x, 0); -0 stays
	Step                     // x > 0 ? 1 : 0
	LeakyReLU                // x > 0 ? x : a·x
	LeakyStep                // x > 0 ? 1 : a
	Clamp                    // x limited to [a,b]; a NaN limit is ignored
	InRange                  // a ≤ x ≤ b ? 1 : 0, the gradient of Clamp
	PowA                     // x^a
	Recip                    // 1/x
	Rsqrt                    // 1/√x
)

// Unary sets dst = op(x), with the parameters a and b where the operation has
// any.
func Unary(op UnaryOp, dst, x []float32, a, b float32) {
	current.unary[op](dst, x[:len(dst)], a, b)
}
