! SPDX-License-Identifier: GPL-3.0-or-later
! The checksums that FT's steps should have, which are NPB's (report NAS-95-020 and its successors).
module checksums
  use, intrinsic :: iso_fortran_env, only: real64
  use npb, only: class_names
  implicit none
  private
  public :: expected_checksums

contains

  !> Of each step of a class, an index in class_names.
  pure function expected_checksums(class) result(expected)
    integer, intent(in) :: class
    complex(real64), allocatable :: expected(:)
    complex(real64), parameter :: class_s(6) = [ &
      (5.546087004964e2_real64, 4.845363331978e2_real64), &
      (5.546385409189e2_real64, 4.865304269511e2_real64), &
      (5.546148406171e2_real64, 4.883910722336e2_real64), &
      (5.545423607415e2_real64, 4.901273169046e2_real64), &
      (5.544255039624e2_real64, 4.917475857993e2_real64), &
      (5.542683411902e2_real64, 4.932597244941e2_real64)]
    complex(real64), parameter :: class_w(6) = [ &
      (5.673612178944e2_real64, 5.293246849175e2_real64), &
      (5.631436885271e2_real64, 5.282149986629e2_real64), &
      (5.594024089970e2_real64, 5.270996558037e2_real64), &
      (5.560698047020e2_real64, 5.260027904925e2_real64), &
      (5.530898991250e2_real64, 5.249400845633e2_real64), &
      (5.504159734538e2_real64, 5.239212247086e2_real64)]
    complex(real64), parameter :: class_a(6) = [ &
      (5.046735008193e2_real64, 5.114047905510e2_real64), &
      (5.059412319734e2_real64, 5.098809666433e2_real64), &
      (5.069376896287e2_real64, 5.098144042213e2_real64), &
      (5.077892868474e2_real64, 5.101336130759e2_real64), &
      (5.085233095391e2_real64, 5.104914655194e2_real64), &
      (5.091487099959e2_real64, 5.107917842803e2_real64)]
    complex(real64), parameter :: class_b(20) = [ &
      (5.177643571579e2_real64, 5.077803458597e2_real64), &
      (5.154521291263e2_real64, 5.088249431599e2_real64), &
      (5.146409228649e2_real64, 5.096208912659e2_real64), &
      (5.142378756213e2_real64, 5.101023387619e2_real64), &
      (5.139626667737e2_real64, 5.103976610617e2_real64), &
      (5.137423460082e2_real64, 5.105948019802e2_real64), &
      (5.135547056878e2_real64, 5.107404165783e2_real64), &
      (5.133910925466e2_real64, 5.108576573661e2_real64), &
      (5.132470705390e2_real64, 5.109577278523e2_real64), &
      (5.131197729984e2_real64, 5.110460304483e2_real64), &
      (5.130070319283e2_real64, 5.111252433800e2_real64), &
      (5.129070537032e2_real64, 5.111968077718e2_real64), &
      (5.128182883502e2_real64, 5.112616233064e2_real64), &
      (5.127393733383e2_real64, 5.113203605551e2_real64), &
      (5.126691062020e2_real64, 5.113735928093e2_real64), &
      (5.126064276004e2_real64, 5.114218460548e2_real64), &
      (5.125504076570e2_real64, 5.114656139760e2_real64), &
      (5.125002331720e2_real64, 5.115053595966e2_real64), &
      (5.124551951846e2_real64, 5.115415130407e2_real64), &
      (5.124146770029e2_real64, 5.115744692211e2_real64)]

    select case (class_names(class:class))
    case ('S')
      expected = class_s
    case ('W')
      expected = class_w
    case ('A')
      expected = class_a
    case default
      expected = class_b
    end select
  end function expected_checksums

end module checksums
