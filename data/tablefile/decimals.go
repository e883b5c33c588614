package tablefile

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"

	"github.com/ehgnn/ehgnn/data/schema"
)

// decimalFill converts decimals; nil for other types.
func decimalFill(a arrow.Array) fill {
	t, ok := a.DataType().(arrow.DecimalType)
	if !ok {
		return nil
	}
	scale := int(t.GetScale())
	switch a := a.(type) {
	case *array.Decimal32:
		return eachChecked(a, func(v decimal.Decimal32) (schema.Cell, error) { return decimalCell(int64(v), scale) })
	case *array.Decimal64:
		return eachChecked(a, func(v decimal.Decimal64) (schema.Cell, error) { return decimalCell(int64(v), scale) })
	case *array.Decimal128:
		return eachChecked(a, func(v decimal128.Num) (schema.Cell, error) {
			if low := int64(v.LowBits()); v.HighBits() == low>>63 {
				return decimalCell(low, scale)
			}
			return bigCell(v.BigInt(), scale)
		})
	case *array.Decimal256:
		return eachChecked(a, func(v decimal256.Num) (schema.Cell, error) { return bigCell(v.BigInt(), scale) })
	}
	return nil
}

// Powers of ten and whole numbers up to these limits are exact in float64, so that a division
// rounds only once.
const (
	exactPower   = 22
	exactInteger = 1 << 53
)

var powers = [exactPower + 1]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimalCell is v / 10^scale, with the same value as its decimal text.
func decimalCell(v int64, scale int) (schema.Cell, error) {
	switch {
	case scale == 0:
		return schema.IntegerCell(v), nil
	case scale > 0 && scale <= exactPower && v > -exactInteger && v < exactInteger:
		return schema.NumberCell(float64(v) / powers[scale]), nil
	}
	return bigCell(big.NewInt(v), scale)
}

// bigCell is a decimal by its text; without a fraction it is a whole number.
func bigCell(v *big.Int, scale int) (schema.Cell, error) {
	text := v.String()
	if scale > 0 {
		number, err := strconv.ParseFloat(text+"e-"+strconv.Itoa(scale), 64)
		return schema.NumberCell(number), err
	}
	const mostZeros = 400 // beyond float64
	if v.Sign() != 0 {
		text += strings.Repeat("0", min(-scale, mostZeros))
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return schema.IntegerCell(i), nil
	}
	number, err := strconv.ParseFloat(text, 64)
	return schema.Cell{Kind: schema.Integer, Text: text, Number: number}, err
}
